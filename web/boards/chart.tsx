// A card with one chart: its canvas, its legend, and the same as a table.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Board, Business, Column } from "../core/board.ts";
import type { Chart } from "../core/board-chart.ts";
import { language, t } from "../core/strings.ts";
import { clock } from "./clock.ts";
import { Icon } from "./icon.tsx";
import { Legend, Swatch, valueText } from "./legend.tsx";
import { palette } from "./palette.ts";
import { addressOf, highest, rowAt } from "./pick.ts";
import { brushed } from "./place.ts";
import type { PlotInput } from "./plot.ts";
import { Plot } from "./plot.ts";
import type { BoardStore } from "./store.ts";
import { marksIn, markText, Table } from "./table.tsx";

type CardProps = {
  readonly chart: Chart;
  readonly answer: Board | Business;
  readonly store: BoardStore;
  readonly wide?: boolean;
};

export function ChartCard({ chart, answer, store, wide = false }: CardProps) {
  const [table, setTable] = useState(false);
  const empty = !chart.rows.some((r) => r.values.some((v) => typeof v === "number"));
  return (
    <article class={wide ? "card chart wide" : "card chart"} data-chart={chart.id}>
      <header>
        <div>
          <h3>{chart.title}</h3>
          <p class="board-about">{chart.about}</p>
        </div>
        {!empty && (
          <button
            type="button"
            class="btn ghost sm sq"
            aria-pressed={table}
            aria-label={t("boards.table.of", { name: chart.title })}
            title={t(table ? "boards.table.hide" : "boards.table")}
            onClick={() => setTable(!table)}
          >
            <Icon name={table ? "chart-line" : "table"} />
          </button>
        )}
      </header>
      {empty && <p class="board-empty">{t("boards.empty")}</p>}
      {!empty && table && (
        <Table chart={chart} times={answer.times} step={answer.step} marks={answer.marks} />
      )}
      {!empty && !table && <Drawn chart={chart} answer={answer} store={store} />}
      {!empty && <Legend chart={chart} at={store.at} />}
    </article>
  );
}

function covered(answer: Board | Business): Column | undefined {
  return "covered" in answer ? answer.covered : undefined;
}

function inputOf(chart: Chart, answer: Board | Business): PlotInput {
  const { times, step, marks } = answer;
  return {
    chart,
    times,
    step,
    marks,
    covered: covered(answer),
    palette: palette(),
    lang: language(),
  };
}

/** Where the pointer is in this chart. */
type Here = { readonly interval: number; readonly left: number };

function Drawn({ chart, answer, store }: CardProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const inside = useRef(false);
  const latest = useRef({ chart, answer });
  latest.current = { chart, answer };
  const [here, setHere] = useState<Here | undefined>(undefined);
  const key = `${chart.rows.map((r) => r.name).join()}${store.look.value}`;

  const follow = (to: string | undefined) => {
    if (to !== undefined) location.assign(to);
  };
  const runs = (interval: number, value?: number) => {
    const { chart: c, answer: a } = latest.current;
    const row = value === undefined ? highest(c, interval) : rowAt(c, interval, value);
    return addressOf(row, interval, a.times, a.step);
  };
  useEffect(() => {
    const root = box.current;
    if (root === null) return;
    const made = new Plot(root, inputOf(latest.current.chart, latest.current.answer), {
      point: (interval, left) => {
        store.at.value = interval;
        setHere(interval === undefined || !inside.current ? undefined : { interval, left });
      },
      // All charts that share the pointer hear of a brush; one of them acts.
      brush: (from, to) => {
        if (inside.current) store.go({ range: brushed(from, to) });
      },
      pick: (interval, value) => follow(runs(interval, value)),
    });
    plot.current = made;
    const watch = new ResizeObserver(() => made.resize(root.clientWidth));
    watch.observe(root);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [key]);

  useEffect(() => {
    plot.current?.update(inputOf(chart, answer));
  }, [chart, answer]);

  const leave = () => {
    inside.current = false;
    setHere(undefined);
    store.at.value = undefined;
  };
  const walk = (e: KeyboardEvent) => {
    const last = answer.times.length - 1;
    const from = store.at.value ?? last + 1;
    const to = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, store.at.value === undefined ? last : from + 1),
      Home: 0,
      End: last,
    }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      inside.current = true;
      plot.current?.point(to);
      return;
    }
    if (e.key === "Enter" && store.at.value !== undefined) follow(runs(store.at.value));
    if (e.key === "Escape") {
      plot.current?.point(undefined);
      leave();
    }
  };
  const at = store.at.value;
  return (
    <div
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={t("boards.chart", { name: chart.title })}
      aria-valuemin={0}
      aria-valuemax={answer.times.length - 1}
      aria-valuenow={at ?? answer.times.length - 1}
      aria-valuetext={at === undefined ? t("boards.keys") : spoken(chart, answer, at)}
      onKeyDown={walk}
      onMouseEnter={() => {
        inside.current = true;
      }}
      onMouseLeave={leave}
      onBlur={leave}
    >
      <div ref={box} class={chart.rows.some((r) => r.link) ? "canvas leads" : "canvas"} />
      {here !== undefined && (
        <Tip chart={chart} answer={answer} here={here} leads={runs(here.interval) !== undefined} />
      )}
    </div>
  );
}

/** What a screen reader says of an interval. */
function spoken(chart: Chart, answer: Board | Business, at: number): string {
  const values = chart.rows
    .filter((r) => typeof r.values[at] === "number")
    .map((r) => `${r.name}: ${valueText(chart, r.values[at])}`);
  const said = values.length === 0 ? t("boards.none") : values.join(", ");
  const marks = marksIn(answer.marks, answer.times[at] ?? 0, answer.step).map(markText);
  return [spanText(answer, at), said, ...marks].join(". ");
}

function spanText(answer: Board | Business, at: number): string {
  const from = answer.times[at] ?? 0;
  const whole = answer.step * answer.times.length;
  const text = (s: number) => clock(s, answer.step, whole, language());
  return `${text(from)} – ${text(from + answer.step)}`;
}

type TipProps = {
  readonly chart: Chart;
  readonly answer: Board | Business;
  readonly here: Here;
  readonly leads: boolean;
};

/** What stands at the pointer. */
function Tip({ chart, answer, here, leads }: TipProps) {
  const box = useRef<HTMLDivElement>(null);
  const { interval, left } = here;
  useEffect(() => {
    const tip = box.current;
    const plot = tip?.parentElement;
    if (tip === null || !plot) return;
    const axis =
      plot.clientWidth - (plot.querySelector<HTMLElement>(".u-over")?.clientWidth ?? 0) - 10;
    const x = axis + left;
    const beside = x + 14 + tip.offsetWidth > plot.clientWidth ? x - tip.offsetWidth - 14 : x + 14;
    tip.style.transform = `translate(${Math.max(0, Math.round(beside))}px, 8px)`;
  }, [interval, left]);
  const whole = covered(answer);
  const dark = whole !== undefined && typeof whole[interval] !== "number";
  const rows = chart.rows.filter((r) => typeof r.values[interval] === "number");
  const slack = (answer.step * answer.times.length) / 200;
  return (
    <div class="tip" ref={box} aria-hidden="true">
      <b class="tn">{spanText(answer, interval)}</b>
      {rows.length === 0 && <span class="muted">{t(dark ? "boards.dark" : "boards.none")}</span>}
      {rows.map((r) => (
        <span class="line" key={r.name}>
          <Swatch row={r} bar={chart.drawn === "bars"} />
          <span class="clip">{r.name}</span>
          <b class="tn">{valueText(chart, r.values[interval])}</b>
        </span>
      ))}
      {marksIn(answer.marks, answer.times[interval] ?? 0, answer.step, slack).map((m) => (
        <span class="mark" key={m.at}>
          <Icon name="flag" />
          {markText(m)}
        </span>
      ))}
      {leads && <span class="muted">{t("boards.leads")}</span>}
    </div>
  );
}

/** Keeps the pointer's line off where no chart has the focus. */
export function useNoPointer(store: BoardStore): void {
  useSignalEffect(() => {
    if (store.shown.value === undefined) store.at.value = undefined;
  });
}
