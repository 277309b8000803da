// A bar between two parts of the page that makes one of them larger. A double
// click folds the part away, or shows it again.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { t } from "../core/strings.ts";

type Props = {
  readonly name: "log" | "timeline";
  readonly axis: "x" | "y";
  readonly start: number;
  readonly least: number;
  readonly most: number;
};

const STEP = 24;

export function Split({ name, axis, start, least, most }: Props) {
  const size = useSignal(kept(name, start));
  const before = useSignal(start);
  useLayoutEffect(() => {
    document.getElementById("run")?.style.setProperty(`--${name}-size`, `${size.value}px`);
    keep(name, size.value);
  }, [size.value]);
  const set = (wanted: number) => {
    size.value = wanted < least / 2 ? 0 : Math.max(least, Math.min(most, wanted));
  };
  const fold = () => {
    if (size.value > 0) {
      before.value = size.value;
      size.value = 0;
    } else {
      size.value = before.value;
    }
  };
  const press = (down: PointerEvent) => {
    if (!(down.currentTarget instanceof HTMLElement)) return;
    const bar = down.currentTarget;
    const from = size.value;
    bar.setPointerCapture(down.pointerId);
    const ended = new AbortController();
    const options = { signal: ended.signal };
    bar.addEventListener(
      "pointermove",
      (e) => set(from + (axis === "x" ? down.clientX - e.clientX : down.clientY - e.clientY)),
      options,
    );
    bar.addEventListener("pointerup", () => ended.abort(), options);
    bar.addEventListener("pointercancel", () => ended.abort(), options);
  };
  const key = (e: KeyboardEvent) => {
    const more = axis === "x" ? "ArrowLeft" : "ArrowUp";
    const less = axis === "x" ? "ArrowRight" : "ArrowDown";
    if (e.key === more) set(Math.max(least, size.value + STEP));
    else if (e.key === less) set(size.value - STEP);
    else if (e.key === "Enter") fold();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div
      class={`split split-${axis} split-${name}`}
      role="separator"
      tabindex={0}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-label={t(`run.split.${name}`)}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={size.value}
      onPointerDown={press}
      onDblClick={fold}
      onKeyDown={key}
    />
  );
}

function kept(name: string, otherwise: number): number {
  try {
    const text = localStorage.getItem(`sb.run.${name}`);
    const n = text === null ? Number.NaN : Number(text);
    return Number.isFinite(n) && n >= 0 ? n : otherwise;
  } catch {
    return otherwise;
  }
}

function keep(name: string, size: number): void {
  try {
    localStorage.setItem(`sb.run.${name}`, String(size));
  } catch {
    // A browser that keeps nothing shows the usual size next time.
  }
}
