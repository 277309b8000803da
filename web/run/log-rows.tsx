// The rows of the log: only those in view are in the page, and the list keeps
// to its end while the person is there.

import { untracked, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { lastUpTo } from "../core/run-filter.ts";
import { moment } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { DETAIL_HEIGHT, Detail } from "./detail.tsx";
import { Icon } from "./icon.tsx";
import type { LogView } from "./log-view.ts";
import { openRow } from "./log-view.ts";
import type { RunStore } from "./store.ts";
import { eventIcon, eventTone, eventWords } from "./words.ts";

const ROW = 34;
const AHEAD = 8;

type RowsProps = {
  readonly store: RunStore;
  readonly log: LogView;
  /** One list that grows: its length tells that it has grown. */
  readonly rows: readonly number[];
  readonly count: number;
};

export function Rows({ store, log, rows, count }: RowsProps) {
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
