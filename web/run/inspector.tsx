// The chosen step at the moment that is shown: its state, what it took, what
// it put out, and what caused it.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { eventsOf } from "../core/run-cause.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { BodyGrid } from "./bodies.tsx";
import { Icon } from "./icon.tsx";
import { at, message } from "./net.ts";
import { NodeGlyph } from "./status.tsx";
import type { RunStore } from "./store.ts";
import { valuesOf } from "./values.ts";
import { eventWords } from "./words.ts";

/** A longer value is shown by its beginning; the log's row has all of it. */
const SHOWN_MAX = 4_000;

export function Inspector({ store }: { readonly store: RunStore }) {
  store.version.value;
  const key = store.selected.value;
  const upTo = store.cursor.value ?? store.trace.last;
  const last = useMemo(() => lastOf(store.trace.events, key, upTo), [store, key, upTo]);
  if (key === undefined) return null;
  const card = store.picture.byKey.get(key);
  const node = store.shown.value.nodes.get(key);
  const status = node?.status ?? "idle";
  return (
    <aside class="side" aria-labelledby="side-title" data-region tabindex={-1}>
      <header>
        <span class={`tile tiny t-${card?.tile ?? "logic"}`}>
          <Icon name={card?.icon ?? "circle-help"} />
        </span>
        <h2 id="side-title">{card?.title ?? key}</h2>
        <button
          type="button"
          class="btn ghost sm sq"
          aria-label={t("shell.close")}
          onClick={() => (store.selected.value = undefined)}
        >
          <Icon name="x" />
        </button>
      </header>
      <p class="side-state">
        <NodeGlyph status={status} />
        <b>{t(`run.node.${status}`)}</b>
        {node === undefined || node.visits < 2 ? undefined : (
          <span>{t("run.visits", { n: node.visits })}</span>
        )}
        {node?.took === undefined || node.took < 0.05 ? undefined : <span>{took(node.took)}</span>}
      </p>
      {store.shown.value.bodies.has(key) ? (
        <BodyGrid key={key} store={store} of={key} />
      ) : undefined}
      {last === undefined ? (
        <p class="muted">{t("run.side.none")}</p>
      ) : (
        <Visit key={last.seq} store={store} last={last} upTo={upTo} />
      )}
    </aside>
  );
}

/** The last event of a step up to a moment. */
function lastOf(
  events: readonly Brief[],
  key: string | undefined,
  upTo: number,
): Brief | undefined {
  for (let i = Math.min(upTo, events.length) - 1; i >= 0; i -= 1) {
    const e = events[i];
    if (e !== undefined && nodeOf(e) === key) return e;
  }
  return undefined;
}

type VisitProps = { readonly store: RunStore; readonly last: Brief; readonly upTo: number };

function Visit({ store, last, upTo }: VisitProps) {
  const { events } = store.trace;
  const visit = useMemo(
    () => eventsOf(events, last).filter((e) => e.seq <= upTo),
    [events, last, upTo],
  );
  const causes = valuesOf(store).origins.of(last);
  const before = useMemo(() => visitBefore(events, last), [events, last]);
  const ended = visit.findLast((e) => gives(e));
  const scheduled = visit.find((e) => e.type === "TaskScheduled");
  return (
    <>
      {causes.length === 0 ? undefined : (
        <section>
          <h3>{t("run.side.cause")}</h3>
          <ul class="why-way">
            {causes.map((e) => (
              <Step key={e.seq} store={store} e={e} />
            ))}
          </ul>
        </section>
      )}
      <Value title={t("run.side.input")} load={() => valuesOf(store).input(last)} />
      {scheduled === undefined ? undefined : (
        <Value
          title={t("run.side.config")}
          load={async () => at(await valuesOf(store).event(scheduled.seq), "data", "config")}
        />
      )}
      {ended === undefined ? undefined : (
        <Value title={t("run.side.output")} load={() => valuesOf(store).output(ended)} />
      )}
      <section>
        <h3>{t("run.side.events")}</h3>
        <ul class="why-way">
          {visit.slice(-8).map((e) => (
            <Step key={e.seq} store={store} e={e} plain />
          ))}
        </ul>
      </section>
      {before === undefined ? undefined : (
        <button type="button" class="lnk" onClick={() => store.goTo(before.seq)}>
          <Icon name="history" />
          {t("run.side.before")}
        </button>
      )}
    </>
  );
}

function Step({
  store,
  e,
  plain = false,
}: {
  readonly store: RunStore;
  readonly e: Brief;
  /** Without the name of the step. */
  readonly plain?: boolean;
}) {
  return (
    <li>
      <button type="button" class="lnk" onClick={() => store.goTo(e.seq)}>
        {plain ? t("run.event.number", { n: e.seq }) : store.title(nodeOf(e))}
      </button>
      <span>{eventWords(e)}</span>
    </li>
  );
}

function visitBefore(events: readonly Brief[], of: Brief): Brief | undefined {
  const first = events.findIndex(
    (e) => nodeOf(e) === nodeOf(of) && e.visit === of.visit && e.scope === of.scope,
  );
  return lastOf(events, nodeOf(of), first);
}

function gives(e: Brief): boolean {
  return e.type === "RunStarted" || e.type.endsWith("Completed") || e.type === "Responded";
}

type Loaded = { readonly text: string } | { readonly problem: string } | undefined;

function Value({ title, load }: { readonly title: string; readonly load: () => Promise<unknown> }) {
  const loaded = useSignal<Loaded>(undefined);
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => {
        if (wanted) loaded.value = { text: shown(value) };
      },
      (fault: unknown) => {
        if (wanted) loaded.value = { problem: message(fault) };
      },
    );
    return () => {
      wanted = false;
    };
  }, []);
  return (
    <section>
      <h3>{title}</h3>
      <Text value={loaded.value} title={title} />
    </section>
  );
}

function Text({ value, title }: { readonly value: Loaded; readonly title: string }) {
  if (value === undefined)
    return <div class="skel side-skeleton" role="status" aria-label={t("run.loading")} />;
  if ("problem" in value) return <p class="note fail">{value.problem}</p>;
  return (
    <pre class="ev-json" tabindex={0} role="region" aria-label={title}>
      {value.text}
    </pre>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return t("run.side.nothing");
  const text = JSON.stringify(value, undefined, 2);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}\n${t("run.side.more")}` : text;
}
