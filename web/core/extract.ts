// Steps taken out into a workflow of their own: which may be, what the new
// workflow is, and what stands in their place.

import type { Drawing } from "./drawing.ts";
import { withContent } from "./frame.ts";
import type { Edge, Graph, GraphNode, NodeDoc, NodeLayout, Op } from "./graph.ts";
import { COMPENSATE, FORMAT } from "./graph.ts";

/** Why steps cannot be taken out together. */
export type Refusal =
  | { readonly why: "entries" | "exits" | "nothing" }
  /** Keys of steps outside that are used inside, or the other way round. */
  | { readonly why: "uses" | "used"; readonly keys: readonly string[] };

export type Extract = {
  /** Everything that goes. */
  readonly all: readonly string[];
  readonly into: readonly Edge[];
  readonly out: readonly Edge[];
  /** The step that ends it: its output is the result. */
  readonly exit: GraphNode | undefined;
};

/** Whether the settings of a node mention the step with a key. */
export type Mentions = (node: GraphNode, key: string) => boolean;

/**
 * One way in and one way out: everything that leads in leads to one step, and
 * everything that leads out leaves one port.
 */
export function extractOf(
  drawing: Drawing,
  ids: readonly string[],
  mentions: Mentions,
): Extract | Refusal {
  if (ids.length === 0) return { why: "nothing" };
  const all = withContent(drawing, ids);
  const into = ids.flatMap((id) => [...drawing.into(id)].filter((e) => !all.has(e.from)));
  const out = ids.flatMap((id) => [...drawing.out(id)].filter((e) => !all.has(e.to)));
  if (new Set(into.map((e) => e.to)).size > 1) return { why: "entries" };
  if (new Set(out.map((e) => `${e.from} ${e.port}`)).size > 1) return { why: "exits" };
  if (out.some((e) => e.port === "failure" || e.port === COMPENSATE)) return { why: "exits" };
  const exit = drawing.nodes.get(out[0]?.from ?? lastOf(drawing, ids) ?? "");
  const nodes = [...drawing.nodes.values()];
  const inside = nodes.filter((n) => all.has(n.id));
  const outside = nodes.filter((n) => !all.has(n.id));
  const uses = outside.filter((o) => inside.some((n) => mentions(n, o.key)));
  if (uses.length > 0) return { why: "uses", keys: uses.map((n) => n.key) };
  const used = inside.filter((n) => n !== exit && outside.some((o) => mentions(o, n.key)));
  if (used.length > 0) return { why: "used", keys: used.map((n) => n.key) };
  return { all: [...all], into, out, exit };
}

/** The only step that nothing follows. */
function lastOf(drawing: Drawing, ids: readonly string[]): string | undefined {
  const ends = ids.filter((id) => [...drawing.out(id)].every((e) => e.port === COMPENSATE));
  return ends.length === 1 ? ends[0] : undefined;
}

/** The new workflow: a start by hand that leads to the steps. */
export function extracted(drawing: Drawing, part: Extract, name: string, start: string): Graph {
  const all = new Set(part.all);
  const layout: Record<string, NodeLayout> = {};
  const nodes: GraphNode[] = [];
  let left = Infinity;
  let top = 0;
  for (const id of part.all) {
    const node = drawing.nodes.get(id);
    if (node === undefined) continue;
    const { in: scope, ...rest } = node;
    nodes.push(scope !== undefined && all.has(scope) ? node : rest);
    const place = drawing.place(id);
    layout[id] = place;
    if (place.x < left) [left, top] = [place.x, place.y];
  }
  const keys = new Set(nodes.map((n) => n.key));
  let key = "start";
  for (let n = 2; keys.has(key); n++) key = `start_${n}`;
  nodes.unshift({ id: start, key, kind: "manual" });
  layout[start] = { x: left - 320, y: top };
  const edges = [...drawing.edges.values()].filter((e) => all.has(e.from) && all.has(e.to));
  const entries = part.into.length > 0 ? [part.into[0]?.to] : entriesOf(drawing, part.all);
  for (const [i, to] of entries.entries()) {
    if (to !== undefined) edges.push({ id: `${start}-${i}`, from: start, port: "success", to });
  }
  return { signalbox: FORMAT, name, nodes, edges, layout: { nodes: layout } };
}

function entriesOf(drawing: Drawing, all: readonly string[]): string[] {
  const set = new Set(all);
  return all.filter((id) => !set.has(drawing.parent(id) ?? "") && drawing.into(id).size === 0);
}

/** The operations that put one step in the place of all. */
export function replaceOps(
  drawing: Drawing,
  part: Extract,
  call: Omit<NodeDoc, "id">,
  id: string,
): Op[] {
  const edges: Op[] = [...part.into, ...part.out].map((e) => ({ op: "edge.del", id: e.id }));
  const gone = [...part.all].reverse().map((one): Op => ({ op: "node.del", id: one }));
  const seen = new Set<string>();
  const lines: Op[] = [];
  for (const e of [...part.into, ...part.out]) {
    const inward = part.into.includes(e);
    const value = inward
      ? { from: e.from, port: e.port, to: id }
      : { from: id, port: "success", to: e.to };
    const word = `${value.from} ${value.port} ${value.to}`;
    if (!seen.has(word)) lines.push({ op: "edge.add", id: e.id, value });
    seen.add(word);
  }
  const scope = drawing.parent(part.all[0] ?? "");
  const value = { ...call, ...(scope === undefined ? {} : { in: scope }) };
  return [...edges, ...gone, { op: "node.add", id, value }, ...lines];
}
