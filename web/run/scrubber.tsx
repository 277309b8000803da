// The scrubber: a histogram of the events, the playhead, and the buttons that
// move it. The share page has it too.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isErrorType } from "../core/run-event.ts";
import type { Scale } from "../core/run-scale.ts";
import { histogram } from "../core/run-scale.ts";
import { moment } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { clear, paintHistogram, readColors } from "./paint-bars.ts";
import { SPEEDS, togglePlay } from "./playback.ts";
import type { Range, RunStore } from "./store.ts";

const HEIGHT = 34;

export function Transport({ store }: { readonly store: RunStore }) {
  const playing = store.playing.value;
  store.version.value;
  return (
    <div class="transport" role="group" aria-label={t("run.transport")}>
      <button
        type="button"
        class="btn ghost sm sq"
        aria-label={t("run.previous")}
        title={`${t("run.previous")} (,)`}
        onClick={() => store.step(-1)}
      >
        <Icon name="skip-back" />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        aria-label={playing ? t("run.pause") : t("run.play")}
        title={playing ? t("run.pause") : t("run.play")}
        onClick={() => togglePlay(store)}
      >
        <Icon name={playing ? "pause" : "play"} />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        aria-label={t("run.next")}
        title={`${t("run.next")} (.)`}
        onClick={() => store.step(1)}
      >
        <Icon name="skip-forward" />
      </button>
      <select
        class="sel speed"
        aria-label={t("run.speed")}
        value={String(store.speed.value)}
        onChange={(e) => (store.speed.value = Number(e.currentTarget.value))}
      >
        {SPEEDS.map((s) => (
          <option key={s} value={String(s)}>
            {`${s}×`}
          </option>
        ))}
      </select>
      <LiveButton store={store} />
    </div>
  );
}

function LiveButton({ store }: { readonly store: RunStore }) {
  const live = store.cursor.value === undefined;
  const over = store.over.value;
  return (
    <button type="button" class="live-button" aria-pressed={live} onClick={() => store.live()}>
      <span class={over ? "end-dot" : "live-dot"} aria-hidden="true" />
      {over ? t("run.end") : t("run.live")}
      <kbd aria-hidden="true">L</kbd>
    </button>
  );
}

type ScrubberProps = {
  readonly store: RunStore;
  readonly scale: ReadonlySignal<Scale>;
  readonly width: Signal<number>;
  /** The part of the span that the bars show; absent: no brush. */
  readonly zoom?: Signal<Range | undefined>;
};

export function Scrubber({ store, scale, width, zoom }: ScrubberProps) {
  const track = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const hover = useSignal<number | undefined>(undefined);

  useLayoutEffect(() => {
    const element = track.current;
    if (element === null) return;
    const sizes = new ResizeObserver(() => {
      width.value = Math.max(40, element.clientWidth);
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useSignalEffect(() => {
    theme.value;
    store.version.value;
    const { from, to, width: w } = scale.value;
    if (canvas.current === null) return;
    const c = clear(canvas.current, w, HEIGHT);
    if (c === undefined) return;
    const bins = histogram(
      store.trace.events,
      isErrorType,
      from,
      to,
      Math.max(10, Math.floor(w / 6)),
    );
    paintHistogram(c, bins, w, HEIGHT, readColors(canvas.current));
  });

  const seqAt = (e: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box === undefined ? 0 : store.trace.seqAt(scale.value.time(e.clientX - box.left));
  };
  const press = (e: PointerEvent) => {
    if (e.button !== 0 || store.trace.last === 0) return;
    track.current?.setPointerCapture(e.pointerId);
    peekAt(store, hover, undefined);
    if (e.shiftKey && zoom !== undefined) brush(e, scale.value, zoom, track.current);
    else store.goTo(seqAt(e));
  };
  const move = (e: PointerEvent) => {
    if (track.current?.hasPointerCapture(e.pointerId) === true) {
      if (!e.shiftKey) store.goTo(seqAt(e));
    } else if (e.pointerType === "mouse") {
      peekAt(store, hover, Math.max(1, seqAt(e)));
    }
  };
  return (
    <div
      class="scrub-track"
      ref={track}
      onPointerDown={press}
      onPointerMove={move}
      onPointerLeave={() => peekAt(store, hover, undefined)}
      onDblClick={() => {
        if (zoom !== undefined) zoom.value = undefined;
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {zoom === undefined ? undefined : <Brush scale={scale} zoom={zoom} />}
      <Peek store={store} scale={scale} seq={hover.value} />
      <Playhead store={store} scale={scale} />
    </div>
  );
}

/** Shows a moment on the canvas only, at most once a frame. */
function peekAt(store: RunStore, hover: Signal<number | undefined>, seq: number | undefined): void {
  hover.value = store.trace.last === 0 ? undefined : seq;
  requestAnimationFrame(() => {
    store.peek.value = hover.value;
  });
}

function brush(
  down: PointerEvent,
  scale: Scale,
  zoom: Signal<Range | undefined>,
  track: HTMLElement | null,
): void {
  const box = track?.getBoundingClientRect();
  if (box === undefined || track === null) return;
  const start = scale.time(down.clientX - box.left);
  const ended = new AbortController();
  track.addEventListener(
    "pointermove",
    (e) => {
      const now = scale.time(Math.max(0, Math.min(scale.width, e.clientX - box.left)));
      const range = { from: Math.min(start, now), to: Math.max(start, now) };
      if (range.to - range.from > 1) zoom.value = range;
    },
    { signal: ended.signal },
  );
  track.addEventListener("pointerup", () => ended.abort(), { signal: ended.signal });
  track.addEventListener("pointercancel", () => ended.abort(), { signal: ended.signal });
}

function Brush({
  scale,
  zoom,
}: {
  readonly scale: ReadonlySignal<Scale>;
  readonly zoom: Signal<Range | undefined>;
}) {
  const element = useRef<HTMLSpanElement>(null);
  useSignalEffect(() => {
    const range = zoom.value;
    const { from, to } = range ?? scale.value;
    if (element.current === null) return;
    element.current.style.left = `${scale.value.x(from)}px`;
    element.current.style.width = `${Math.max(4, scale.value.x(to) - scale.value.x(from))}px`;
  });
  return (
    <span
      class={zoom.value === undefined ? "brush all" : "brush"}
      ref={element}
      aria-hidden="true"
    />
  );
}

function Peek({
  store,
  scale,
  seq,
}: {
  readonly store: RunStore;
  readonly scale: ReadonlySignal<Scale>;
  readonly seq: number | undefined;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const at = seq === undefined ? undefined : store.trace.events[seq - 1]?.at;
  useLayoutEffect(() => {
    if (element.current === null || at === undefined) return;
    const x = scale.value.x(at);
    element.current.style.left = `${x}px`;
    element.current.toggleAttribute("data-flip", x > scale.value.width - 160);
  });
  if (seq === undefined || at === undefined) return null;
  return (
    <span class="peek tn" ref={element} aria-hidden="true">
      <em>{t("run.peek", { time: moment(at - store.started), n: seq })}</em>
    </span>
  );
}

function Playhead({
  store,
  scale,
}: {
  readonly store: RunStore;
  readonly scale: ReadonlySignal<Scale>;
}) {
  const element = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    store.version.value;
    store.cursor.value;
    if (element.current !== null) element.current.style.left = `${scale.value.x(store.moment)}px`;
  });
  const cursor = store.cursor.value;
  const now = cursor ?? store.trace.last;
  store.version.value;
  const key = (e: KeyboardEvent) => {
    if (e.key === "ArrowLeft" || e.key === "ArrowDown") store.step(-1);
    else if (e.key === "ArrowRight" || e.key === "ArrowUp") store.step(1);
    else if (e.key === "Home") store.goTo(1);
    else if (e.key === "End") store.live();
    else if (e.key === "PageUp") store.goTo(now + Math.ceil(store.trace.last / 10));
    else if (e.key === "PageDown") store.goTo(now - Math.ceil(store.trace.last / 10));
    else return;
    e.preventDefault();
  };
  return (
    <div
      class={cursor === undefined ? "playhead live" : "playhead"}
      ref={element}
      role="slider"
      tabindex={0}
      aria-label={t("run.playhead")}
      aria-valuemin={Math.min(1, store.trace.last)}
      aria-valuemax={store.trace.last}
      aria-valuenow={now}
      aria-valuetext={t("run.playhead.at", {
        n: now,
        of: store.trace.last,
        time: moment(store.moment - store.started),
      })}
      onKeyDown={key}
    />
  );
}

/** Goes up when the theme changes, so that canvases are painted anew. */
export function useTheme(): ReadonlySignal<number> {
  const count = useSignal(0);
  useEffect(() => {
    const again = () => {
      count.value += 1;
    };
    const watch = new MutationObserver(again);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    void document.fonts.ready.then(again);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", again);
    };
  }, []);
  return count;
}
