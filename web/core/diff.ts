// Two drawings side by side: what came, went and changed, both in one drawing,
// and the operations that lead from one to the other.

import { Drawing } from "./drawing.ts";
import { outermost } from "./frame.ts";
import type { Edge, Graph, GraphNode, NodeDoc, Note, Op } from "./graph.ts";
import { addEdgeOp } from "./ops.ts";

export type Mark = "added" | "removed" | "changed";

/** One property that differs; a pointer into the node. */
export type FieldChange = {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
};

export type NodeChange = {
  readonly id: string;
  readonly is: Mark;
  /** Of a node that changed. */
  readonly fields: readonly FieldChange[];
};

export type Diff = {
  readonly nodes: readonly NodeChange[];
  readonly edges: readonly { readonly edge: Edge; readonly is: "added" | "removed" }[];
  readonly notes: readonly { readonly id: string; readonly is: Mark }[];
  /** Properties of the whole drawing. */
  readonly fields: readonly FieldChange[];
  /** Nodes that only lie elsewhere. */
  readonly moved: readonly string[];
};

/** What differs from before to after. */
export function diff(before: Graph, after: Graph): Diff {
  const a = new Map(before.nodes.map((n) => [n.id, n]));
  const b = new Map(after.nodes.map((n) => [n.id, n]));
  const nodes: NodeChange[] = [];
  const moved: string[] = [];
  for (const n of after.nodes) {
    const old = a.get(n.id);
    if (old === undefined) {
      nodes.push({ id: n.id, is: "added", fields: [] });
      continue;
    }
    const fields = differences(meaning(before, old), meaning(after, n));
    if (fields.length > 0) nodes.push({ id: n.id, is: "changed", fields });
    else if (isMoved(before, after, n.id)) moved.push(n.id);
  }
  for (const n of before.nodes) {
    if (!b.has(n.id)) nodes.push({ id: n.id, is: "removed", fields: [] });
  }
  return {
    nodes,
    edges: edgesOf(before, after),
    notes: notesOf(before, after),
    fields: differences(whole(before), whole(after)),
    moved,
  };
}

/** A node without its place: a move is no change of what it does. */
function meaning(g: Graph, node: GraphNode): Record<string, unknown> {
  const { title, notes, pin } = g.layout.nodes?.[node.id] ?? { x: 0, y: 0 };
  const { id: _, ...rest } = node;
  return { ...rest, title, notes, pin };
}

function isMoved(before: Graph, after: Graph, id: string): boolean {
  const a = before.layout.nodes?.[id];
  const b = after.layout.nodes?.[id];
  return a?.x !== b?.x || a?.y !== b?.y;
}

function whole(g: Graph): Record<string, unknown> {
  return {
    name: g.name,
    description: g.description,
    transaction: g.transaction,
    sample: g.layout.sample,
  };
}

function name(e: Edge): string {
  return `${e.from} ${e.port} ${e.to}`;
}

// Edges are the same when they join the same: their ids tell nothing.
function edgesOf(before: Graph, after: Graph): Diff["edges"] {
  const a = new Set(before.edges.map(name));
  const b = new Set(after.edges.map(name));
  return [
    ...after.edges.filter((e) => !a.has(name(e))).map((edge) => ({ edge, is: "added" as const })),
    ...before.edges
      .filter((e) => !b.has(name(e)))
      .map((edge) => ({ edge, is: "removed" as const })),
  ];
}

function notesOf(before: Graph, after: Graph): Diff["notes"] {
  const a = before.layout.notes ?? {};
  const b = after.layout.notes ?? {};
  const found: { id: string; is: Mark }[] = [];
  for (const id of Object.keys(b)) {
    if (a[id] === undefined) found.push({ id, is: "added" });
    else if (a[id]?.text !== b[id]?.text) found.push({ id, is: "changed" });
  }
  for (const id of Object.keys(a)) if (b[id] === undefined) found.push({ id, is: "removed" });
  return found;
}

/** The places at which two JSON values differ, as deep as both have them. */
export function differences(before: unknown, after: unknown, path = ""): FieldChange[] {
  if (same(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((k) => differences(before[k], after[k], `${path}/${escaped(k)}`));
  }
  const lists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (lists) return before.flatMap((v, i) => differences(v, after[i], `${path}/${i}`));
  return [{ path, before, after }];
}

function isObject(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

function escaped(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Equal as JSON, whatever the order of members; absent is no member. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((v, i) => same(v, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((k) => same(a[k], b[k]));
}

/** The drawing after with what was removed still in it, and the marks of all. */
export function together(
  before: Graph,
  after: Graph,
): { readonly graph: Graph; readonly marks: ReadonlyMap<string, Mark> } {
  const found = diff(before, after);
  const marks = new Map<string, Mark>(found.nodes.map(({ id, is }) => [id, is]));
  const gone = before.nodes.filter((n) => marks.get(n.id) === "removed");
  const places = gone.map((n) => [n.id, before.layout.nodes?.[n.id] ?? { x: 0, y: 0 }] as const);
  const edges: Edge[] = [...after.edges];
  for (const { edge, is } of found.edges) {
    const id = is === "removed" ? `removed-${edge.id}` : edge.id;
    marks.set(id, is);
    if (is === "removed") edges.push({ ...edge, id });
  }
  return {
    graph: {
      ...after,
      nodes: [...after.nodes, ...gone],
      edges,
      layout: { ...after.layout, nodes: { ...after.layout.nodes, ...Object.fromEntries(places) } },
    },
    marks,
  };
}

/** The operations that make one drawing into the other, all but its name. */
export function opsBetween(before: Graph, after: Graph): Op[] {
  const drawing = new Drawing(before);
  const target = new Drawing(after);
  const kept = [...drawing.nodes.values()].filter((n) => target.nodes.has(n.id));
  const gone = [...drawing.nodes.keys()].filter((id) => !target.nodes.has(id));
  const come = outerFirst(target, (id) => !drawing.nodes.has(id));
  const edges = edgesOf(before, after);
  const ops: Op[] = edges
    .filter((e) => e.is === "removed")
    .map((e) => ({ op: "edge.del", id: e.edge.id }));
  // First everything that stays leaves its container and frees its key.
  const wanderers = kept.filter((n) => n.in !== target.nodes.get(n.id)?.in);
  for (const n of wanderers) if (n.in) ops.push({ op: "node.set", id: n.id, path: "/in" });
  for (const id of deepFirst(drawing, gone)) ops.push({ op: "node.del", id });
  const renamed = kept.filter((n) => n.key !== target.nodes.get(n.id)?.key);
  for (const [i, n] of renamed.entries()) {
    ops.push({ op: "node.set", id: n.id, path: "/key", value: freeKey(before, after, i) });
  }
  for (const id of come) ops.push({ op: "node.add", id, value: docOf(target, id) });
  for (const n of renamed) {
    ops.push({ op: "node.set", id: n.id, path: "/key", value: target.nodes.get(n.id)?.key });
  }
  for (const n of wanderers) {
    const scope = target.nodes.get(n.id)?.in;
    if (scope) ops.push({ op: "node.set", id: n.id, path: "/in", value: scope });
  }
  for (const n of kept) ops.push(...nodeOps(drawing, target, n.id));
  ops.push(...edges.filter((e) => e.is === "added").map((e) => addEdgeOp(e.edge)));
  return [...ops, ...noteOps(before, after), ...wholeOps(before, after)];
}

function docOf(target: Drawing, id: string): Omit<NodeDoc, "id"> {
  const { id: _, ...rest } = { ...target.place(id), ...target.nodes.get(id) } as NodeDoc;
  return rest;
}

/** Containers before what stands in them. */
function outerFirst(target: Drawing, wanted: (id: string) => boolean): string[] {
  const depth = (id: string): number => target.around(id).length;
  return [...target.nodes.keys()].filter(wanted).sort((a, b) => depth(a) - depth(b));
}

/** What stands in a container before it; a container takes the rest with it. */
function deepFirst(drawing: Drawing, gone: readonly string[]): string[] {
  const all = new Set(gone);
  const roots = outermost(drawing, gone);
  const found = roots.flatMap((id) => [id, ...[...drawing.inside(id)].filter((o) => all.has(o))]);
  return [...new Set(found)].reverse();
}

/** A key that nobody has, for those that change places. */
function freeKey(before: Graph, after: Graph, i: number): string {
  const taken = new Set([...before.nodes, ...after.nodes].map((n) => n.key));
  let n = i;
  while (taken.has(`renamed_${n}`)) n += before.nodes.length + 1;
  return `renamed_${n}`;
}

const properties = [
  "kind",
  "disabled",
  "max_visits",
  "pivot",
  "join",
  "retry",
  "timeout",
  "task",
  "config",
] as const;

function nodeOps(drawing: Drawing, target: Drawing, id: string): Op[] {
  const ops: Op[] = [];
  const a = drawing.nodes.get(id);
  const b = target.nodes.get(id);
  const p = drawing.place(id);
  const q = target.place(id);
  const put = (path: string, before: unknown, after: unknown): void => {
    if (same(before, after)) return;
    const value = after === undefined ? {} : { value: after };
    ops.push({ op: "node.set", id, path, ...value });
  };
  for (const one of properties) put(`/${one}`, a?.[one], b?.[one]);
  for (const one of ["title", "notes", "pin"] as const) put(`/${one}`, p[one], q[one]);
  if (p.x !== q.x || p.y !== q.y) ops.push({ op: "node.move", id, value: { x: q.x, y: q.y } });
  const size = { w: q.w, h: q.h, folded: q.folded };
  if (!same({ w: p.w, h: p.h, folded: p.folded }, size)) {
    ops.push({ op: "node.size", id, value: JSON.parse(JSON.stringify(size)) });
  }
  return ops;
}

function noteOps(before: Graph, after: Graph): Op[] {
  const a: Readonly<Record<string, Note>> = before.layout.notes ?? {};
  const b: Readonly<Record<string, Note>> = after.layout.notes ?? {};
  const ops: Op[] = [];
  for (const [id, note] of Object.entries(b)) {
    if (same(a[id], note)) continue;
    if (a[id] !== undefined) ops.push({ op: "note.del", id });
    ops.push({ op: "note.add", id, value: note });
  }
  for (const id of Object.keys(a)) if (b[id] === undefined) ops.push({ op: "note.del", id });
  return ops;
}

function wholeOps(before: Graph, after: Graph): Op[] {
  const { name: _, ...a } = whole(before);
  const { name: __, ...b } = whole(after);
  return Object.keys(b).flatMap((k) => {
    if (same(a[k], b[k])) return [];
    const value = b[k] === undefined ? {} : { value: b[k] };
    return [{ op: "graph.set" as const, path: `/${k}`, ...value }];
  });
}
