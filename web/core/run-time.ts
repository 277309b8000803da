// Times and sizes as the run view writes them. The clock comes in from outside.

import { translator } from "./strings.ts";

const say = translator({
  "time.took.ms": "{t} ms",
  "time.took.s": "{t} s",
  "time.took.min": "{t} min {s} s",
  "time.took.h": "{t} h {m} min",
  "time.took.d": "{t} d {h} h",
});

/** A short length of time: "412 ms", "1.84 s", "2 min 5 s", "3 h 4 min". */
export function took(ms: number): string {
  const t = Math.max(0, ms);
  if (t < 1) return say("time.took.ms", { t: round(t, 2) });
  if (t < 1_000) return say("time.took.ms", { t: round(t, t < 10 ? 1 : 0) });
  if (t < 60_000) return say("time.took.s", { t: round(t / 1_000, t < 10_000 ? 2 : 1) });
  const seconds = Math.floor(t / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return say("time.took.min", { t: minutes, s: seconds % 60 });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return say("time.took.h", { t: hours, m: minutes % 60 });
  return say("time.took.d", { t: Math.floor(hours / 24), h: hours % 24 });
}

/** A length that ticks: whole seconds only once it is longer than a minute. */
export function ticking(ms: number): string {
  const t = Math.max(0, ms);
  return t < 60_000 ? say("time.took.s", { t: (t / 1_000).toFixed(1) }) : took(t);
}

/** A moment since the start: "04.163", "02:04.163", "1:02:04.163". */
export function moment(ms: number): string {
  const t = Math.max(0, Math.round(ms));
  const rest = `${two(Math.floor(t / 1_000) % 60)}.${String(t % 1_000).padStart(3, "0")}`;
  const minutes = Math.floor(t / 60_000);
  if (minutes === 0) return rest;
  if (minutes < 60) return `${two(minutes)}:${rest}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** A mark of the axis: "0 s", "250 ms", "1.5 s", "2 min". */
export function mark(ms: number): string {
  if (ms === 0) return "0 s";
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${ms / 1_000} s`;
  if (ms < 3_600_000) return `${round(ms / 60_000, 1)} min`;
  return `${round(ms / 3_600_000, 1)} h`;
}

/** A size: "812 B", "1.1 KB", "3.2 MB". */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${round(bytes / 1_000, 1)} KB`;
  return `${round(bytes / 1_000_000, 1)} MB`;
}

/** How a run is called on screen: the end of its id, as on the other pages. */
export function shortId(id: string): string {
  return id.slice(-6);
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

function round(n: number, digits: number): string {
  const text = n.toFixed(digits);
  return digits === 0 ? text : text.replace(/\.?0+$/, "");
}
