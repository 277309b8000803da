// Steps put together into a container, and a container taken apart: the lines
// that would cross the border are led to the container's own ports.

import type { Drawing } from "./drawing.ts";
import { outermost } from "./frame.ts";
import type { Edge, Op } from "./graph.ts";
import { COMPENSATE } from "./graph.ts";

/** Makes ids, and keeps lines from being drawn twice. */
class Lines {
  readonly ops: Op[] = [];
  readonly #seen: Set<string>;
  readonly #newId: () => string;

  constructor(drawing: Drawing, gone: ReadonlySet<Edge>, newId: () => string) {
    this.#newId = newId;
    const kept = [...drawing.edges.values()].filter((e) => !gone.has(e));
    this.#seen = new Set(kept.map((e) => `${e.from} ${e.port} ${e.to}`));
  }

  add(from: string, port: string, to: string): void {
    const name = `${from} ${port} ${to}`;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.ops.push({ op: "edge.add", id: this.#newId(), value: { from, port, to } });
  }
}

/**
 * The steps of a selection that may be wrapped together: those of the scope of
 * the first one, with the steps that undo them.
 */
export function wrappable(drawing: Drawing, ids: Iterable<string>): string[] {
  const [first, ...others] = outermost(drawing, ids).filter((id) => drawing.nodes.has(id));
  if (first === undefined) return [];
  const scope = drawing.parent(first);
  const found = new Set([first, ...others.filter((id) => drawing.parent(id) === scope)]);
  // A set may grow while it is walked through.
  for (const id of found) for (const e of drawing.outOf(id, COMPENSATE)) found.add(e.to);
  return [...found];
}

/**
 * The operations that put steps of one scope into a container, which is added
 * by the first operation, made by the caller.
 */
export function wrapOps(
  drawing: Drawing,
  ids: readonly string[],
  container: string,
  newId: () => string,
): Op[] {
  const all = new Set(ids);
  const into = ids.flatMap((id) => [...drawing.into(id)].filter((e) => !all.has(e.from)));
  const out = ids.flatMap((id) => [...drawing.out(id)].filter((e) => !all.has(e.to)));
  const lines = new Lines(drawing, new Set([...into, ...out]), newId);
  for (const e of into) if (e.port !== COMPENSATE) lines.add(e.from, e.port, container);
  for (const e of out) {
    if (e.port !== COMPENSATE)
      lines.add(container, e.port === "failure" ? e.port : "success", e.to);
  }
  return [
    ...[...into, ...out].map((e): Op => ({ op: "edge.del", id: e.id })),
    ...ids.map((id): Op => ({ op: "node.set", id, path: "/in", value: container })),
    ...lines.ops,
  ];
}

/** The operations that take a container away and leave what stands in it. */
export function dissolveOps(drawing: Drawing, container: string, newId: () => string): Op[] {
  const held = [...drawing.held(container)];
  const scope = drawing.parent(container);
  const own = [...drawing.into(container), ...drawing.out(container)];
  const lines = new Lines(drawing, new Set(own), newId);
  for (const e of drawing.into(container)) {
    for (const id of held) if (drawing.into(id).size === 0) lines.add(e.from, e.port, id);
  }
  for (const e of drawing.out(container)) {
    if (e.port !== "success") continue;
    for (const id of held) if (isEnd(drawing, id)) lines.add(id, "success", e.to);
  }
  const value = scope === undefined ? {} : { value: scope };
  return [
    ...held.map((id): Op => ({ op: "node.set", id, path: "/in", ...value })),
    { op: "node.del", id: container },
    ...lines.ops,
  ];
}

/** Nothing follows, and it undoes nothing. */
function isEnd(drawing: Drawing, id: string): boolean {
  const goesOn = [...drawing.out(id)].some((e) => e.port !== COMPENSATE);
  return !goesOn && ![...drawing.into(id)].some((e) => e.port === COMPENSATE);
}
