// The event log: a virtual list that keeps to its end while the person is
// there, with filters and the whole event on demand.

import { signal, untracked, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ComponentChildren, RefObject } from "preact";
import { Filtered, NO_FILTER, lastUpTo } from "../core/run-filter.ts";
import type { Filter } from "../core/run-filter.ts";
import { isError, nodeOf } from "../core/run-event.ts";
import type { Brief } from "../core/run-event.ts";
import { moment } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { DETAIL_HEIGHT, Detail } from "./detail.tsx";
import { Icon } from "./icon.tsx";
import type { RunStore } from "./store.ts";
import { eventIcon, eventTone, eventWords } from "./words.ts";

const ROW = 34;
const AHEAD = 8;

/** The log's own state; keys reach it from outside. */
export class LogView {
  readonly filter = signal<Filter>(NO_FILTER);
  /** The list keeps to its end. */
  readonly sticks = signal(true);
  /** Events that had come when the person left the end. */
  readonly seen = signal(0);
  readonly #filtered: Filtered;
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
    this.#filtered = new Filtered(
      (e) =>
        `${store.title(nodeOf(e))} ${nodeOf(e) ?? ""} ${e.type} ${eventWords(e)} ${e.error?.message ?? ""} ${e.worker ?? ""}`,
    );
  }

  rows(): readonly number[] {
    this.#store.version.value;
    return this.#filtered.list(this.#store.trace.events, this.filter.value);
  }

  set(change: Partial<Filter>): void {
    this.filter.value = { ...this.filter.value, ...change };
  }

  /** Opens the next or previous row, counted from the open one or the shown moment. */
  move(by: 1 | -1): void {
    const rows = this.rows();
    const { opened, cursor } = this.#store;
    const next =
      rows[Math.max(0, Math.min(rows.length - 1, placeNow(rows, opened.value, cursor.value) + by))];
    if (next !== undefined) openRow(this.#store, next);
  }
}

function placeNow(
  rows: readonly number[],
  opened: number | undefined,
  cursor: number | undefined,
): number {
  if (opened !== undefined) return lastUpTo(rows, opened);
  return cursor === undefined ? -1 : lastUpTo(rows, cursor - 1);
}

function openRow(store: RunStore, index: number | undefined): void {
  store.opened.value = index;
  const e = index === undefined ? undefined : store.trace.events[index];
  const key = e === undefined ? undefined : nodeOf(e);
  if (key !== undefined) store.selected.value = key;
}

export function Log({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  const rows = log.rows();
  const { trace } = store;
  return (
    <section class="log" aria-labelledby="log-title" data-region tabindex={-1}>
      <header>
        <h2 id="log-title">{t("run.log")}</h2>
        <span class="chip tn">{trace.last.toLocaleString()}</span>
        <ErrorsSwitch store={store} log={log} />
      </header>
      <Filters store={store} log={log} />
      <GapNote store={store} />
      {rows.length === 0 ? (
        <NoRows store={store} log={log} />
      ) : (
        <Rows store={store} log={log} rows={rows} count={rows.length} />
      )}
      <LogFoot store={store} />
    </section>
  );
}

function ErrorsSwitch({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  store.version.value;
  const count = useErrors(store);
  const { errors } = log.filter.value;
  return (
    <div class="seg sm end" role="group" aria-label={t("run.log.which")}>
      <button type="button" aria-pressed={!errors} onClick={() => log.set({ errors: false })}>
        {t("run.log.all")}
      </button>
      <button type="button" aria-pressed={errors} onClick={() => log.set({ errors: true })}>
        {t("run.log.errors")} <span class="n">{count.toLocaleString()}</span>
      </button>
    </div>
  );
}

/** Counts errors; only new events are looked at. */
function useErrors(store: RunStore): number {
  const seen = useRef({ upTo: 0, n: 0 });
  const { events } = store.trace;
  for (; seen.current.upTo < events.length; seen.current.upTo += 1) {
    const e = events[seen.current.upTo];
    if (e !== undefined && isError(e)) seen.current.n += 1;
  }
  return seen.current.n;
}

const TYPES: readonly string[] = [
  "RunStarted",
  "NodeCompleted",
  "NodeFailed",
  "TaskScheduled",
  "TaskCompleted",
  "TaskFailed",
  "WaitStarted",
  "WaitCompleted",
  "Responded",
  "RunSucceeded",
  "RunFailed",
  "RunCanceled",
];

function Filters({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  const filter = log.filter.value;
  const value = (e: Event) =>
    e.currentTarget instanceof HTMLInputElement || e.currentTarget instanceof HTMLSelectElement
      ? e.currentTarget.value
      : "";
  return (
    <div class="log-filters">
      <label class="log-search">
        <Icon name="search" />
        <span class="sr">{t("run.log.filter")}</span>
        <input
          type="search"
          id="log-filter"
          placeholder={t("run.log.filter")}
          value={filter.text}
          onInput={(e) => log.set({ text: value(e) })}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <select
        class="sel"
        aria-label={t("run.log.step")}
        value={filter.step}
        onChange={(e) => log.set({ step: value(e) })}
      >
        <option value="">{t("run.log.step.all")}</option>
        {store.picture.cards.map((c) => (
          <option key={c.key} value={c.key}>
            {c.title}
          </option>
        ))}
      </select>
      <select
        class="sel"
        aria-label={t("run.log.type")}
        value={filter.type}
        onChange={(e) => log.set({ type: value(e) })}
      >
        <option value="">{t("run.log.type.all")}</option>
        {TYPES.map((type) => (
          <option key={type} value={type}>
            {t(`run.event.${type}`)}
          </option>
        ))}
      </select>
    </div>
  );
}

function GapNote({ store }: { readonly store: RunStore }) {
  const hole = store.hole.value;
  if (hole === undefined) return null;
  return (
    <p class="note warn log-gap">
      <span class="spin" aria-hidden="true" />
      {t("run.gap", { from: hole.from, to: hole.to })}
    </p>
  );
}

function NoRows({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  if (store.trace.last > 0) {
    return (
      <div class="empty log-empty">
        <p>{t("run.log.none")}</p>
        <button type="button" class="btn sm" onClick={() => (log.filter.value = NO_FILTER)}>
          {t("run.log.clear")}
        </button>
      </div>
    );
  }
  if (store.at.value === "loading") {
    return (
      <div class="log-skeleton" role="status" aria-label={t("run.loading")}>
        {Array.from({ length: 9 }, (_none, i) => (
          <span key={i} class="skel" />
        ))}
      </div>
    );
  }
  return (
    <div class="empty log-empty">
      <p>{t("run.log.empty")}</p>
    </div>
  );
}

type RowsProps = {
  readonly store: RunStore;
  readonly log: LogView;
  /** One list that grows: its length tells that it has grown. */
  readonly rows: readonly number[];
  readonly count: number;
};

function Rows({ store, log, rows, count }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const opened = store.opened.value;
  const openAt = useMemo(() => placeOf(rows, opened), [count, opened, log.filter.value]);
  const total = count * ROW + (openAt === undefined ? 0 : DETAIL_HEIGHT);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const sizes = new ResizeObserver(() => {
      height.value = element.clientHeight;
      if (log.sticks.value) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (box.current !== null && log.sticks.value) box.current.scrollTop = box.current.scrollHeight;
  }, [total]);
  useSignalEffect(() => {
    const index = store.opened.value;
    if (index !== undefined) untracked(() => bringIntoView(store, log, box.current, index));
  });
  useSignalEffect(() => {
    const cursor = store.cursor.value;
    if (cursor !== undefined) untracked(() => bringIntoView(store, log, box.current, cursor - 1));
  });

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    top.value = element.scrollTop;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    if (atEnd !== log.sticks.value) {
      log.sticks.value = atEnd;
      log.seen.value = count;
    }
  };
  const first = Math.max(0, rowAt(top.value, openAt) - AHEAD);
  const last = Math.min(count, rowAt(top.value + height.value, openAt) + AHEAD);
  const items = [];
  for (let i = first; i < last; i += 1) {
    const index = rows[i];
    const e = index === undefined ? undefined : store.trace.events[index];
    if (index === undefined || e === undefined) continue;
    items.push(
      <Row
        key={index}
        store={store}
        e={e}
        index={index}
        place={i}
        total={count}
        y={yOf(i, openAt)}
        open={openAt === i}
      />,
    );
  }
  return (
    <div class="log-rows">
      <div
        class="log-scroll"
        ref={box}
        onScroll={onScroll}
        tabindex={0}
        role="region"
        aria-label={t("run.log.list")}
      >
        <Tall height={total}>
          <ol>{items}</ol>
        </Tall>
      </div>
      <NewPill log={log} box={box} count={count} />
    </div>
  );
}

/** An element whose height is set through the object model. */
function Tall({
  height,
  children,
}: {
  readonly height: number;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.height = `${height}px`;
  }, [height]);
  return (
    <div class="log-tall" ref={element}>
      {children}
    </div>
  );
}

function NewPill({
  log,
  box,
  count,
}: {
  readonly log: LogView;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly count: number;
}) {
  if (log.sticks.value) return null;
  const fresh = Math.max(0, count - log.seen.value);
  const toEnd = () => {
    log.sticks.value = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };
  return (
    <button type="button" class="new-pill" onClick={toEnd}>
      <Icon name="arrow-down" />
      {fresh > 0 ? t("run.log.new", { n: fresh }) : t("run.log.end")}
    </button>
  );
}

type RowProps = {
  readonly store: RunStore;
  readonly e: Brief;
  readonly index: number;
  readonly place: number;
  readonly total: number;
  readonly y: number;
  readonly open: boolean;
};

function Row({ store, e, index, place, total, y, open }: RowProps) {
  const item = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (item.current !== null) item.current.style.transform = `translateY(${y}px)`;
  }, [y]);
  const key = nodeOf(e);
  const cursor = store.cursor.value;
  const classes = [
    "ev",
    open ? "open" : "",
    key !== undefined && key === store.selected.value ? "same" : "",
    cursor !== undefined && e.seq > cursor ? "later" : "",
    cursor === e.seq ? "here" : "",
    eventTone(e),
  ];
  return (
    <li
      ref={item}
      class={classes.filter((c) => c !== "").join(" ")}
      aria-setsize={total}
      aria-posinset={place + 1}
    >
      <button
        type="button"
        class="ev-line"
        aria-expanded={open}
        onClick={() => openRow(store, open ? undefined : index)}
      >
        <span class="ev-time">{moment(e.at - store.started)}</span>
        <span class={`es ${eventTone(e)}`}>
          <Icon name={eventIcon(e)} />
        </span>
        <span class="ev-what">{eventWords(e)}</span>
        <span class="ev-step">{store.title(key)}</span>
      </button>
      {open ? <Detail store={store} e={e} /> : undefined}
    </li>
  );
}

function placeOf(rows: readonly number[], index: number | undefined): number | undefined {
  if (index === undefined) return undefined;
  const place = lastUpTo(rows, index);
  return rows[place] === index ? place : undefined;
}

function yOf(place: number, openAt: number | undefined): number {
  return place * ROW + (openAt !== undefined && place > openAt ? DETAIL_HEIGHT : 0);
}

function rowAt(y: number, openAt: number | undefined): number {
  if (openAt === undefined || y < (openAt + 1) * ROW) return Math.floor(y / ROW);
  return Math.max(openAt, Math.floor((y - DETAIL_HEIGHT) / ROW));
}

/** An opened row, or the moment that is shown, comes into view. */
function bringIntoView(
  store: RunStore,
  log: LogView,
  box: HTMLDivElement | null,
  index: number,
): void {
  if (box === null) return;
  const rows = log.rows();
  const place = lastUpTo(rows, index);
  if (place < 0) return;
  const openAt = placeOf(rows, store.opened.value);
  const y = yOf(place, openAt);
  const bottom = y + ROW + (openAt === place ? DETAIL_HEIGHT : 0);
  // Heights that the page does not have yet are waited for.
  requestAnimationFrame(() => {
    if (y < box.scrollTop) box.scrollTop = Math.max(0, y - ROW);
    else if (bottom > box.scrollTop + box.clientHeight)
      box.scrollTop = bottom - box.clientHeight + ROW;
  });
}

function LogFoot({ store }: { readonly store: RunStore }) {
  const at = store.at.value;
  return (
    <footer class="log-foot">
      {at === "live" ? <span class="live-dot" aria-hidden="true" /> : undefined}
      {at === "offline" ? <Icon name="wifi-off" /> : undefined}
      <span class={`link-${at}`}>{t(`run.link.${at}`)}</span>
      {at === "live" && store.rate.value > 0 ? (
        <span class="tn">{t("run.rate", { n: store.rate.value })}</span>
      ) : undefined}
    </footer>
  );
}
