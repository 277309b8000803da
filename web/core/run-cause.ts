// Why a step did what it did: which events gave it its tokens, and which
// values its expressions read.

import type { Json } from "./graph.ts";
import type { Brief } from "./run-event.ts";
import { nodeOf } from "./run-event.ts";
import { unwinds } from "./run-fork.ts";
import { positions } from "./run-scope.ts";
import type { Shape } from "./run-state.ts";
import { taken } from "./run-state.ts";

/** The failure that ended a run: its step's last event; undefined: no step failed. */
export function failureOf(events: readonly Brief[]): Brief | undefined {
  let first: Brief | undefined;
  let last = events.length - 1;
  while (last >= 0 && (events[last]?.type === "RunFailed" || events[last]?.seq === 0)) last -= 1;
  for (let i = last; i >= 0; i -= 1) {
    const e = events[i];
    if (e === undefined || !unwinds(e)) break;
    if (e.type === "NodeFailed") first = e;
  }
  return first;
}

/** What one visit did, told by its events. */
export function eventsOf(events: readonly Brief[], of: Brief): readonly Brief[] {
  return events.filter((e) => e.seq > 0 && visitName(e) === visitName(of));
}

function visitName(e: Brief): string {
  return `${nodeOf(e) ?? ""} ${e.scope ?? 0} ${e.visit ?? 1}`;
}

/** Follows tokens through a log that grows: which events gave each visit what it took. */
export class Origins {
  readonly #shape: Shape;
  readonly #events: readonly Brief[];
  /** Numbers of the events that gave a visit its tokens, by the visit's name. */
  readonly #given = new Map<string, readonly number[]>();
  /** Numbers of the events whose tokens stand on an edge, by scope and edge. */
  readonly #waiting = new Map<string, number[]>();
  /** Numbers of the events that opened a scope. */
  readonly #opened = new Map<number, number>();
  #seen = 0;

  constructor(shape: Shape, events: readonly Brief[]) {
    this.#shape = shape;
    this.#events = events;
    this.read();
  }

  /** Takes the events that have come since. */
  read(): void {
    for (; this.#seen < this.#events.length; this.#seen += 1) {
      const e = this.#events[this.#seen];
      if (e === undefined) continue;
      this.#take(e);
      if (e.opens !== undefined && e.type === "BodyStarted") this.#opened.set(e.opens, e.seq);
      for (const edge of taken(this.#shape, e)) {
        const place = `${e.scope ?? 0} ${edge.id}`;
        const queue = this.#waiting.get(place);
        if (queue === undefined) this.#waiting.set(place, [e.seq]);
        else queue.push(e.seq);
      }
    }
  }

  #take(e: Brief): void {
    if (nodeOf(e) === undefined || this.#given.has(visitName(e))) return;
    const list: number[] = [];
    for (const position of positions(e.took)) {
      const place = `${e.scope ?? 0} ${this.#shape.edges[position] ?? ""}`;
      const from = this.#waiting.get(place)?.shift();
      if (from !== undefined) list.push(from);
    }
    const entry = this.#opened.get(e.scope ?? 0);
    if (list.length === 0 && entry !== undefined) list.push(entry);
    this.#given.set(visitName(e), list);
  }

  /** The events that gave the visit of an event its tokens. */
  of(e: Brief): readonly Brief[] {
    return (this.#given.get(visitName(e)) ?? []).flatMap((seq) => this.#events[seq - 1] ?? []);
  }

  /** The way back from an event, the nearest first, each event once. */
  back(e: Brief, most: number): readonly Brief[] {
    const list: Brief[] = [];
    const seen = new Set<number>();
    let next: readonly Brief[] = this.of(e);
    while (next.length > 0 && list.length < most) {
      const fresh = [...new Set(next)]
        .filter((s) => !seen.has(s.seq))
        .sort((a, b) => b.seq - a.seq);
      for (const s of fresh) seen.add(s.seq);
      list.push(...fresh);
      next = fresh.flatMap((s) => this.of(s));
    }
    return list.slice(0, most);
  }
}

/** A place that an expression reads. */
export type Read = {
  /** As it is written. */
  readonly text: string;
  readonly from: "input" | "inputs" | "trigger" | "nodes";
  /** Of inputs and nodes: the key of the step. */
  readonly key: string;
  readonly path: readonly string[];
};

const READ =
  /(?<![\w.])(input\b|trigger\b|inputs\.\w+|nodes\.\w+\.output)((?:\.\w+|\["[^"]*"\]|\[\d+\])*)(\()?/g;

/** What the expressions of a configuration read, each place once. */
export function readsIn(config: Json | undefined): readonly Read[] {
  const found = new Map<string, Read>();
  each(config, (text) => {
    for (const m of expressionsIn(text).matchAll(READ)) {
      const read = readOf(m[1] ?? "", m[2] ?? "", m[3] !== undefined);
      if (!found.has(read.text)) found.set(read.text, read);
    }
  });
  return [...found.values()];
}

function readOf(root: string, rest: string, called: boolean): Read {
  const words = root.split(".");
  const path = [...rest.matchAll(/\.(\w+)|\["([^"]*)"\]|\[(\d+)\]/g)].map(
    (m) => m[1] ?? m[2] ?? m[3] ?? "",
  );
  // The last word of a call is a method, not a field.
  const fields = called ? path.slice(0, -1) : path;
  const kept = called ? rest.slice(0, rest.lastIndexOf(".")) : rest;
  return {
    text: `${root}${kept}`,
    from: words[0] as Read["from"],
    key: words[1] ?? "",
    path: fields,
  };
}

/**
 * The part of a text that is read as expressions. A bare one cannot be told
 * from a constant here: it counts when it reads a member of something.
 */
function expressionsIn(text: string): string {
  if (text.startsWith("==")) return "";
  if (text.startsWith("=")) return text.slice(1);
  if (text.includes("{{")) return [...text.matchAll(/\{\{(.*?)\}\}/gs)].map((m) => m[1]).join(" ");
  return /\b(input|trigger|inputs|nodes)[.[]/.test(text) ? text : "";
}

function each(value: Json | undefined, say: (text: string) => void): void {
  if (typeof value === "string") say(value);
  else if (Array.isArray(value)) for (const item of value) each(item, say);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) each(item, say);
}

/** The value at a path; undefined: there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Readonly<Record<string, unknown>>)[name];
  }
  return here;
}
