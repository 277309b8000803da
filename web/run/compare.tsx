// Two runs on one canvas and in one table, step by step: way, data and time.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CompareRow, CompareSide, Comparison } from "../core/run-compare.ts";
import { differs, edgesOf, nodesOf } from "../core/run-compare.ts";
import { shapeOf } from "../core/run-state.ts";
import { shortId, took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { makeStage } from "./canvas.tsx";
import { Icon } from "./icon.tsx";
import { at, call, message } from "./net.ts";
import type { PageRun } from "./props.ts";
import type { Stage } from "./stage.ts";
import { RunChip } from "./status.tsx";
import type { RunStore } from "./store.ts";

type Props = { readonly store: RunStore; readonly runs: Comparison<PageRun> };

export function Compare({ store, runs }: Props) {
  const { a, b, outcome } = runs;
  return (
    <>
      <header class="top run-top">
        <div>
          <a class="btn ghost sq" href={`/runs/${a.id}`} aria-label={t("run.compare.back")}>
            <Icon name="arrow-left" />
          </a>
          <nav class="crumb" aria-label={t("run.crumb")}>
            <a href={`/w/${a.workflow.id}`}>{a.workflow.name || t("shell.untitled")}</a>
            <Icon name="chevron-right" />
            <h1>{outcome === undefined ? t("run.compare.title") : outcome.case.name}</h1>
          </nav>
        </div>
        <span />
        <div>
          <Side letter="A" run={a} />
          {outcome === undefined ? <Side letter="B" run={b} /> : <Draft run={b} />}
        </div>
      </header>
      <main class="compare-main" id="main">
        <Drawing store={store} runs={runs} />
        <Table store={store} runs={runs} />
      </main>
    </>
  );
}

function Side({ letter, run }: { readonly letter: string; readonly run: PageRun }) {
  return (
    <span class="compare-side">
      <b>{letter}</b>
      <a href={`/runs/${run.id}`} title={run.id}>
        {t("run.name", { id: shortId(run.id) })}
      </a>
      <RunChip status={run.status} />
    </span>
  );
}

/** What the draft would do, instead of a second run. */
function Draft({ run }: { readonly run: PageRun }) {
  return (
    <span class="compare-side">
      <b>B</b>
      <a href={`/w/${run.workflow.id}`}>{t("run.compare.draft")}</a>
      <RunChip status={run.status} />
    </span>
  );
}

/** Why what the draft would do is not known to the end. */
function Stopped({ store, runs }: Props) {
  const stopped = runs.outcome?.stopped;
  if (stopped === undefined) return null;
  const step = stopped.node === undefined ? "" : store.title(stopped.node);
  return <p class="note warn">{t(`run.compare.stopped.${stopped.why}`, { step })}</p>;
}

/** Marks each step and edge by who took it, and whether it was alike. */
function Drawing({ store, runs }: Props) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    let stop: (() => void) | undefined;
    let wanted = true;
    const events = {
      select: (id: string | undefined) => {
        store.selected.value = store.picture.cards.find((c) => c.id === id)?.key;
      },
      panned: () => undefined,
    };
    makeStage(host.current, store, events).then(
      (stage) => {
        if (!wanted) {
          stage.destroy();
          return;
        }
        stop = () => stage.destroy();
        paint(stage, store, runs);
      },
      () => undefined,
    );
    return () => {
      wanted = false;
      stop?.();
    };
  }, [store, runs]);
  return (
    <section class="run-canvas" aria-label={t("run.canvas.region")} data-region tabindex={-1}>
      <div class="stage" ref={host} />
    </section>
  );
}

function paint(stage: Stage, store: RunStore, runs: Comparison<PageRun>): void {
  const nodes = nodesOf(runs.rows);
  for (const card of store.picture.cards) {
    const how = nodes.get(card.key) ?? "none";
    const word = t(`run.compare.${how}`);
    stage.setStatus(card.id, STATUS[how], { left: word, right: "" }, `${card.title}, ${word}`);
  }
  const edges = edgesOf(shapeOf(store.graph), runs.rows);
  for (const line of store.picture.lines) {
    const how = edges.get(line.id) ?? "none";
    stage.setEdge(line.id, EDGE[how]);
    stage.setLabel(line.id, LETTER[how]);
  }
}

const EDGE = { both: "taken", a: "active", b: "active", none: "skipped" } as const;

const LETTER = { both: undefined, a: "A", b: "B", none: undefined } as const;

const STATUS = {
  same: "done",
  data: "waiting",
  way: "failed",
  a: "queued",
  b: "queued",
  none: "skipped",
} as const;

/** More visits are told by their number. */
const ROWS_MAX = 1_000;

function Table({ store, runs }: Props) {
  const all = useSignal(!runs.rows.some(differs));
  const open = useSignal<CompareRow | undefined>(undefined);
  const key = store.selected.value;
  const rows = runs.rows.filter(
    (r) => (all.value || differs(r)) && (key === undefined || r.node === key),
  );
  const different = runs.rows.filter(differs).length;
  return (
    <section class="compare-table" aria-labelledby="compare-title" data-region tabindex={-1}>
      <header>
        <h2 id="compare-title">{t("run.compare.count", { n: different, of: runs.rows.length })}</h2>
        <div class="seg sm end" role="group" aria-label={t("run.show")}>
          <button type="button" aria-pressed={!all.value} onClick={() => (all.value = false)}>
            {t("run.compare.only")}
          </button>
          <button type="button" aria-pressed={all.value} onClick={() => (all.value = true)}>
            {t("run.compare.all")}
          </button>
        </div>
      </header>
      {runs.whole ? undefined : <p class="note warn">{t("run.compare.part")}</p>}
      <Stopped store={store} runs={runs} />
      <div class="tl-table" role="region" aria-label={t("run.compare.table")} tabindex={0}>
        <table>
          <thead>
            <tr>
              {["step", "visit", "outcome", "time", "data"].map((c) => (
                <th key={c} scope="col">
                  {t(`run.compare.col.${c}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_MAX).map((r) => (
              <Row key={`${r.place ?? ""} ${r.node} ${r.visit}`} store={store} r={r} open={open} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? (
          <p class="muted compare-none">{t("run.compare.nothing")}</p>
        ) : undefined}
        {rows.length > ROWS_MAX ? (
          <p class="muted">{t("run.times.more", { n: ROWS_MAX })}</p>
        ) : undefined}
      </div>
      {open.value === undefined ? undefined : <Values runs={runs} r={open.value} />}
    </section>
  );
}

type RowProps = {
  readonly store: RunStore;
  readonly r: CompareRow;
  readonly open: { value: CompareRow | undefined };
};

function Row({ store, r, open }: RowProps) {
  const on = open.value === r;
  return (
    <tr class={on ? "on" : ""}>
      <th scope="row">
        <button
          type="button"
          class="lnk"
          aria-expanded={on}
          onClick={() => (open.value = on ? undefined : r)}
        >
          {store.title(r.node)}
        </button>
      </th>
      <td class="tn">
        {r.place === undefined ? "" : `${r.place} `}
        {r.visit}
      </td>
      <td class={r.same_way ? "" : "differs"}>
        {r.same_way ? words(r.a) : `A: ${words(r.a)} · B: ${words(r.b)}`}
      </td>
      <td class="tn">{times(r)}</td>
      <td class={r.same_data || r.a === undefined || r.b === undefined ? "" : "differs"}>
        {data(r)}
      </td>
    </tr>
  );
}

/** How one run left a visit. */
function words(side: CompareSide | undefined): string {
  if (side === undefined) return t("run.compare.none");
  const facts = [
    t(`run.compare.is.${side.outcome}`),
    side.ports.filter((p) => p !== "success").join(", "),
    side.error ?? "",
    side.attempts > 1 ? t("run.attempts", { n: side.attempts }) : "",
  ];
  return facts.filter((f) => f !== "").join(" · ");
}

function times({ a, b }: CompareRow): string {
  const one = a?.took_ms === undefined ? "–" : took(a.took_ms);
  const other = b?.took_ms === undefined ? "–" : took(b.took_ms);
  if (a?.took_ms === undefined || b?.took_ms === undefined) return `A ${one} · B ${other}`;
  const by = b.took_ms - a.took_ms;
  if (Math.abs(by) < 0.05) return one;
  return `A ${one} · B ${other} (${by > 0 ? "+" : "−"}${took(Math.abs(by))})`;
}

function data(r: CompareRow): string {
  if (r.a === undefined || r.b === undefined) return "";
  return t(r.same_data ? "run.compare.data.same" : "run.compare.data.differs");
}

/** What the visit put out in both runs. */
function Values({ runs, r }: { readonly runs: Comparison<PageRun>; readonly r: CompareRow }) {
  return (
    <div class="compare-values">
      <Value letter="A" of={`runs/${runs.a.id}`} seq={r.a?.last} />
      <Value
        letter="B"
        of={runs.outcome === undefined ? `runs/${runs.b.id}` : `cases/${runs.outcome.case.id}`}
        seq={r.b?.last}
      />
    </div>
  );
}

function Value({
  letter,
  of,
  seq,
}: {
  readonly letter: string;
  readonly of: string;
  readonly seq: number | undefined;
}) {
  const text = useSignal("");
  useEffect(() => {
    let wanted = true;
    text.value = "";
    if (seq === undefined) return undefined;
    call("GET", `/api/${of}/events/${seq}`).then(
      (e) => {
        const d = at(e, "data");
        const value = at(d, "output") ?? at(d, "input") ?? at(d, "error");
        if (wanted)
          text.value =
            value === undefined ? t("run.side.nothing") : JSON.stringify(value, undefined, 2);
      },
      (fault: unknown) => {
        if (wanted) text.value = message(fault);
      },
    );
    return () => {
      wanted = false;
    };
  }, [of, seq]);
  return (
    <section>
      <h3>{letter}</h3>
      {seq === undefined ? (
        <p class="muted">{t("run.compare.none")}</p>
      ) : (
        <pre
          class="ev-json"
          tabindex={0}
          role="region"
          aria-label={t("run.compare.value", { run: letter })}
        >
          {text.value}
        </pre>
      )}
    </section>
  );
}
