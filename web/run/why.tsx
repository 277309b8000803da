// Why a run failed: the step, the words of its error, the values that its
// expressions read, how it came there, and the ways on.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Origins, Read } from "../core/run-cause.ts";
import { eventsOf, failureOf, readsIn, valueAt } from "../core/run-cause.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { RetryButton } from "./fork.tsx";
import { Icon } from "./icon.tsx";
import { at } from "./net.ts";
import type { PageRun } from "./props.ts";
import type { RunStore } from "./store.ts";
import { valuesOf } from "./values.ts";
import { eventWords } from "./words.ts";

/** The way back shows this many events. */
const BACK_MAX = 6;

type Props = { readonly store: RunStore; readonly run: PageRun };

export function Why({ store, run }: Props) {
  store.version.value;
  const { events } = store.trace;
  const failed = store.status.value === "failed" && store.at.value !== "loading";
  const failure = useMemo(() => (failed ? failureOf(events) : undefined), [failed, events.length]);
  if (!failed || !store.why.value || store.selected.value !== undefined) return null;
  const end = events.at(-1);
  return (
    <aside class="side why" aria-labelledby="why-title" data-region tabindex={-1}>
      <header>
        <span class="st fail">
          <Icon name="x" />
        </span>
        <h2 id="why-title">
          {failure === undefined
            ? t("run.why.run")
            : t("run.why.step", { step: store.title(nodeOf(failure)) })}
        </h2>
        <button
          type="button"
          class="btn ghost sm sq"
          aria-label={t("shell.close")}
          onClick={() => (store.why.value = false)}
        >
          <Icon name="x" />
        </button>
      </header>
      <Words store={store} e={failure ?? end} />
      {failure === undefined ? undefined : <Failed store={store} run={run} failure={failure} />}
    </aside>
  );
}

/** The class of the error in plain words, then the message itself. */
function Words({ store, e }: { readonly store: RunStore; readonly e: Brief | undefined }) {
  const full = useFull(store, e?.seq);
  if (e?.error === undefined) return null;
  const key = `run.class.${e.error.class}`;
  const plain = t(key);
  const long = at(full, "data", "error", "message");
  return (
    <>
      <p>{plain === key ? t("run.class.other", { class: e.error.class }) : plain}</p>
      <p class="ev-error">
        <b>{e.error.class}</b> {typeof long === "string" ? long : e.error.message}
      </p>
    </>
  );
}

type FailedProps = Props & { readonly failure: Brief };

function Failed({ store, run, failure }: FailedProps) {
  const { events } = store.trace;
  const { origins } = valuesOf(store);
  const visit = useMemo(() => eventsOf(events, failure), [failure]);
  const back = useMemo(() => origins.back(failure, BACK_MAX), [failure]);
  const attempts = visit.filter((e) => e.type === "TaskFailed");
  const node = store.graph.nodes.find((n) => n.key === nodeOf(failure));
  const reads = useMemo(() => readsIn(node?.config), [node]);
  return (
    <>
      {attempts.length > 1 ? <Attempts store={store} attempts={attempts} /> : undefined}
      {reads.length === 0 ? undefined : (
        <Values store={store} reads={reads} failure={failure} origins={origins} />
      )}
      {back.length === 0 ? undefined : (
        <section>
          <h3>{t("run.why.way")}</h3>
          <ol class="why-way">
            {back.map((e) => (
              <li key={e.seq}>
                <button type="button" class="lnk" onClick={() => store.goTo(e.seq)}>
                  {store.title(nodeOf(e))}
                </button>
                <span>{eventWords(e)}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      <Ways
        store={store}
        run={run}
        failure={failure}
        cause={back.find((e) => e.size !== undefined) ?? back[0]}
      />
    </>
  );
}

function Attempts({
  store,
  attempts,
}: {
  readonly store: RunStore;
  readonly attempts: readonly Brief[];
}) {
  return (
    <section>
      <h3>{t("run.attempts", { n: attempts.length })}</h3>
      <ol class="why-attempts">
        {attempts.slice(-8).map((e) => (
          <li key={e.seq}>
            <button type="button" class="lnk tn" onClick={() => store.goTo(e.seq)}>
              {t("run.attempt", { n: e.attempt ?? 1 })}
            </button>
            <span>
              {e.error?.class ?? ""}
              {e.began === undefined ? "" : ` · ${took(e.at - e.began)}`}
              {e.worker === undefined || e.worker === "" ? "" : ` · ${e.worker}`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Found = { readonly seq: number; readonly value: unknown } | undefined;

/** What the step's expressions read, and where it came from. */
function Values({
  store,
  reads,
  failure,
  origins,
}: {
  readonly store: RunStore;
  readonly reads: readonly Read[];
  readonly failure: Brief;
  readonly origins: Origins;
}) {
  const found = useSignal<readonly Found[] | undefined>(undefined);
  useEffect(() => {
    let wanted = true;
    Promise.all(reads.map((r) => lookUp(store, r, failure, origins))).then(
      (list) => {
        if (wanted) found.value = list;
      },
      () => undefined, // the panel says the rest
    );
    return () => {
      wanted = false;
    };
  }, [store, failure]);
  if (found.value === undefined) return null;
  return (
    <section>
      <h3>{t("run.why.values")}</h3>
      <dl class="why-values">
        {reads.map((r, i) => (
          <Value key={r.text} store={store} read={r} found={found.value?.[i]} />
        ))}
      </dl>
    </section>
  );
}

function Value({
  store,
  read,
  found,
}: {
  readonly store: RunStore;
  readonly read: Read;
  readonly found: Found;
}) {
  const missing = found === undefined || found.value === undefined;
  const seq = found?.seq;
  return (
    <div>
      <dt>
        <code>{read.text}</code>
      </dt>
      <dd class={missing ? "missing" : ""}>
        <code>{missing ? t("run.why.missing") : preview(found.value)}</code>
        {seq === undefined ? undefined : (
          <button type="button" class="lnk" onClick={() => store.goTo(seq)}>
            {store.title(nodeOf(store.trace.events[seq - 1] ?? { seq, at: 0, type: "" }))}
          </button>
        )}
      </dd>
    </div>
  );
}

function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Finds the event whose output a place reads, and the value there. */
async function lookUp(
  store: RunStore,
  read: Read,
  failure: Brief,
  origins: Origins,
): Promise<Found> {
  const { events } = store.trace;
  const given = origins.of(failure);
  let e: Brief | undefined;
  let path = read.path;
  if (read.from === "trigger") {
    e = events[0];
  } else if (read.from === "nodes") {
    e = events.slice(0, failure.seq).findLast((x) => nodeOf(x) === read.key && gives(x));
  } else if (read.from === "inputs") {
    e = given.find((x) => nodeOf(x) === read.key);
  } else if (given.length === 1) {
    e = given[0];
  } else {
    e = given.find((x) => nodeOf(x) === path[0]);
    path = path.slice(1);
  }
  return e === undefined
    ? undefined
    : { seq: e.seq, value: valueAt(await valuesOf(store).output(e), path) };
}

function gives(e: Brief): boolean {
  return e.type === "RunStarted" || e.type.endsWith("Completed") || e.type === "Responded";
}

/** The ways on; the cause is the nearest event before that gave data to edit. */
function Ways({ store, run, failure, cause }: FailedProps & { readonly cause: Brief | undefined }) {
  const { operates } = store.info;
  // A step that computes inside fails again on the same values.
  const inside = failure.took !== undefined;
  return (
    <section class="why-ways">
      <h3>{t("run.why.ways")}</h3>
      {operates && !inside ? <RetryButton store={store} small /> : undefined}
      {operates && cause !== undefined ? (
        <button type="button" class="btn sm" onClick={() => (store.forking.value = cause.seq)}>
          <Icon name="git-branch" />
          {t("run.why.fork")}
        </button>
      ) : undefined}
      <a class="btn sm" href={`/w/${run.workflow.id}#step=${nodeOf(failure) ?? ""}`}>
        <Icon name="workflow" />
        {t("run.why.editor")}
      </a>
    </section>
  );
}

/** The whole event, with what its brief leaves out. */
function useFull(store: RunStore, seq: number | undefined): unknown {
  const full = useSignal<unknown>(undefined);
  useEffect(() => {
    if (seq === undefined) return;
    valuesOf(store)
      .event(seq)
      .then(
        (value) => {
          full.value = value;
        },
        () => undefined, // the brief has the beginning of it
      );
  }, [store, seq]);
  return full.value;
}
