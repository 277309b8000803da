// The timeline: the scrubber, an axis, and a row of bars for each step.

import type { Signal } from "@preact/signals";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Bar, BarRow } from "../core/run-bars.ts";
import { ticksOf } from "../core/run-scale.ts";
import { mark, took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { Late } from "./late.tsx";
import { clear, paintBars, ROW_HEIGHT, readColors } from "./paint-bars.ts";
import { Scrubber, Transport, useTheme } from "./scrubber.tsx";
import type { RunStore } from "./store.ts";
import type { TimelineView } from "./timeline-view.ts";

type Props = { readonly store: RunStore; readonly view: TimelineView };

export function Timeline({ store, view }: Props) {
  return (
    <section class="timeline" aria-label={t("run.timeline")} data-region tabindex={-1}>
      <div class="scrub">
        <Transport store={store} />
        <Scrubber store={store} scale={view.whole} width={view.width} zoom={view.zoom} />
      </div>
      <div class="axis">
        <Toggles view={view} />
        <Axis store={store} view={view} />
      </div>
      {view.table.value ? (
        <Late load={timesTable} with={{ store, view }} />
      ) : (
        <Rows store={store} view={view} />
      )}
    </section>
  );
}

const timesTable = () => import("./later.ts").then((m) => m.later.TimesTable);

function Toggles({ view }: { readonly view: TimelineView }) {
  return (
    <div class="toggles" role="group" aria-label={t("run.show")}>
      <Toggle on={view.queue} word={t("run.show.queue")} letter="Q" />
      <Toggle on={view.errors} word={t("run.show.errors")} letter="E" />
      <Toggle on={view.collapse} word={t("run.show.idle")} letter="C" />
      <Toggle on={view.table} word={t("run.show.table")} letter="T" />
    </div>
  );
}

function Toggle({
  on,
  word,
  letter,
}: {
  readonly on: Signal<boolean>;
  readonly word: string;
  readonly letter: string;
}) {
  return (
    <button
      type="button"
      aria-pressed={on.value}
      title={`${word} (${letter})`}
      onClick={() => (on.value = !on.value)}
    >
      {word}
    </button>
  );
}

function Axis({ store, view }: Props) {
  const scale = view.scale.value;
  const ticks = ticksOf(scale, store.started, 110);
  return (
    <div class="axis-marks tn" aria-hidden="true">
      {ticks.map((tick) => (
        <Mark key={tick} x={scale.x(store.started + tick)} width={scale.width} word={mark(tick)} />
      ))}
    </div>
  );
}

type MarkProps = { readonly x: number; readonly width: number; readonly word: string };

/** A word of the axis, on the side of its time where it has room. */
function Mark({ x, width, word }: MarkProps) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    current.style.left = `${x}px`;
    current.classList.toggle("before", x + current.offsetWidth > width);
  }, [x, width]);
  return <span ref={element}>{word}</span>;
}

function Rows({ store, view }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const tall = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  const height = useSignal(200);
  const theme = useTheme();
  const rows = view.rows();

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const sizes = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (tall.current !== null) tall.current.style.height = `${rows.length * ROW_HEIGHT}px`;
  }, [rows.length]);
  useSignalEffect(() => {
    theme.value;
    if (canvas.current === null) return;
    const scale = view.scale.value;
    const shown = view.rows();
    const c = clear(canvas.current, scale.width, height.value);
    if (c === undefined) return;
    paintBars(c, {
      rows: shown,
      scale,
      origin: store.started,
      end: store.end,
      height: height.value,
      scrolled: scrolled.value,
      selected: store.selected.value,
      queue: view.queue.value,
      moment: store.cursor.value === undefined ? undefined : store.moment,
      colors: readColors(canvas.current),
    });
  });
  useSignalEffect(() => {
    const key = store.selected.value;
    const i = view.rows().findIndex((r) => r.key === key);
    const element = box.current;
    if (element === null || i < 0) return;
    const y = i * ROW_HEIGHT;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW_HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = y + ROW_HEIGHT - element.clientHeight;
  });

  const first = Math.max(0, Math.floor(scrolled.value / ROW_HEIGHT) - 2);
  const last = Math.min(rows.length, Math.ceil((scrolled.value + height.value) / ROW_HEIGHT) + 2);
  const onClick = (e: MouseEvent) => {
    const place = canvas.current?.getBoundingClientRect();
    if (place === undefined) return;
    const row = rows[Math.floor((e.clientY - place.top + scrolled.value) / ROW_HEIGHT)];
    if (row === undefined) return;
    store.selected.value = row.key;
    const bar = barAt(row, view, store, e.clientX - place.left);
    if (bar !== undefined && bar.seq > 0) store.goTo(bar.seq);
  };
  return (
    <div class="tl-rows" ref={box} onScroll={() => (scrolled.value = box.current?.scrollTop ?? 0)}>
      <div class="tl-tall" ref={tall}>
        <ol class="tl-names" aria-label={t("run.steps")}>
          {rows.slice(first, last).map((row, i) => (
            <Name key={row.key} store={store} row={row} y={(first + i) * ROW_HEIGHT} />
          ))}
        </ol>
        <canvas ref={canvas} class="tl-bars" aria-hidden="true" onClick={onClick} />
      </div>
      {rows.length === 0 ? (
        <p class="tl-empty muted">
          {view.errors.value ? t("run.steps.no_errors") : t("run.steps.none")}
        </p>
      ) : undefined}
    </div>
  );
}

/** The bar under a place; a bar of a few pixels may be missed a little. */
function barAt(row: BarRow, view: TimelineView, store: RunStore, x: number): Bar | undefined {
  const scale = view.scale.value;
  let best: Bar | undefined;
  let least = 6;
  for (const bar of row.bars) {
    const from = scale.x(bar.from);
    const to = scale.x(bar.to ?? store.end);
    const away = Math.max(0, from - x, x - to);
    if (away < least || (away === 0 && bar.kind === "work")) {
      least = away;
      best = bar;
    }
  }
  return best;
}

function Name({
  store,
  row,
  y,
}: {
  readonly store: RunStore;
  readonly row: BarRow;
  readonly y: number;
}) {
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.transform = `translateY(${y}px)`;
  }, [y]);
  const card = store.picture.byKey.get(row.key);
  const depth = Math.min(4, store.depth(row.key));
  const node = store.shown.value.nodes.get(row.key);
  const selected = store.selected.value === row.key;
  const open = node !== undefined && node.open.length > 0;
  const time =
    node?.took !== undefined && node.took >= 0.05 && !open
      ? took(node.took)
      : t(`run.node.${node?.status ?? "idle"}`);
  return (
    <li ref={element} class={`${selected ? "on" : ""} in-${depth}`}>
      <button
        type="button"
        aria-pressed={selected}
        onClick={() => (store.selected.value = selected ? undefined : row.key)}
      >
        <span class={`tile tiny t-${card?.tile ?? "logic"}`}>
          <Icon name={card?.icon ?? "circle-help"} />
        </span>
        <span class="tl-title">{card?.title ?? row.key}</span>
        <span class={`tl-time tn ${node?.status === "failed" ? "failed" : ""}`}>
          {node?.status === "failed" ? t("run.node.failed") : time}
        </span>
      </button>
    </li>
  );
}
