// Cut, copied and duplicated steps as JSON text, so that they travel between
// tabs and workflows and can be read by a person.

import { Fault, LIMITS, objectOf } from "./check.ts";
import type { Drawing } from "./drawing.ts";
import { withContent } from "./frame.ts";
import type { Box, Point } from "./geometry.ts";
import { union } from "./geometry.ts";
import type { Edge, JsonObject, NodeDoc, Note, Op } from "./graph.ts";
import { addEdgeOp } from "./ops.ts";
import { keyFor } from "./step-key.ts";

export type Clip = {
  readonly signalbox_clip: 1;
  readonly nodes: readonly NodeDoc[];
  /** Both ends are among the nodes. */
  readonly edges: readonly Edge[];
  /** One end is elsewhere; kept on request when that node is there. */
  readonly outside: readonly Edge[];
  readonly notes: readonly (Note & { readonly id: string })[];
};

export type Pasted = {
  readonly ops: readonly Op[];
  readonly nodes: readonly string[];
  readonly notes: readonly string[];
  /** The key that each copied step got. */
  readonly keys: ReadonlyMap<string, string>;
};

export type PasteOptions = {
  /** A new id at each call. */
  readonly newId: () => string;
  /** Upper left corner for the whole; absent: offset decides. */
  readonly at?: Point | undefined;
  readonly offset?: { readonly dx: number; readonly dy: number } | undefined;
  /**
   * The container for what stands in none of the copied ones: an id, or "" for
   * the workflow itself; absent: where the original stands, if it is there.
   */
  readonly into?: string | undefined;
  /** Also join what the copied steps were joined to, where it is there. */
  readonly keepLinks?: boolean | undefined;
  /** Rewrites expressions in a configuration; keys maps old keys to new ones. */
  readonly rename?:
    | ((config: JsonObject, keys: ReadonlyMap<string, string>) => JsonObject)
    | undefined;
};

/** What would be copied: a container comes with what stands in it. */
export function clipOf(drawing: Drawing, nodes: Iterable<string>, notes: Iterable<string>): Clip {
  const ids = withContent(drawing, nodes);
  const docs: NodeDoc[] = [];
  const inside: Edge[] = [];
  const outside = new Map<string, Edge>();
  for (const id of ids) {
    const node = drawing.nodes.get(id);
    if (node !== undefined) docs.push({ ...node, ...drawing.place(id) });
    for (const e of drawing.out(id)) {
      if (ids.has(e.to)) inside.push(e);
      else outside.set(e.id, e);
    }
    for (const e of drawing.into(id)) if (!ids.has(e.from)) outside.set(e.id, e);
  }
  const texts = [...notes].flatMap((id) => {
    const note = drawing.notes.get(id);
    return note === undefined ? [] : [{ id, ...note }];
  });
  return {
    signalbox_clip: 1,
    nodes: docs,
    edges: inside,
    outside: [...outside.values()],
    notes: texts,
  };
}

export function clipText(clip: Clip): string {
  return JSON.stringify(clip, undefined, 1);
}

/** Reads a text that was copied here; undefined: it is something else. */
export function readClip(text: string): Clip | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("signalbox_clip" in value)) return undefined;
  const found = value as Partial<Clip>;
  const lists = [found.nodes, found.edges, found.outside, found.notes];
  if (!lists.every((list) => Array.isArray(list))) return undefined;
  return value as Clip;
}

/** The operations that paste a clip: new ids, keys that nobody has. */
export function paste(drawing: Drawing, clip: Clip, options: PasteOptions): Pasted {
  const by = shift(clip, options);
  const ids = new Map<string, string>();
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const doc of clip.nodes) {
    const { id, key, title } = objectOf<NodeDoc>(doc);
    if (typeof id !== "string" || typeof key !== "string")
      throw new Fault("This is not a copied step.");
    const fresh = keyFor(
      drawing.byKey(key) === undefined ? key : (title ?? key),
      (k) => taken.has(k) || drawing.byKey(k) !== undefined,
    );
    taken.add(fresh);
    keys.set(key, fresh);
    ids.set(id, options.newId());
  }
  const ops: Op[] = outerFirst(clip.nodes).map((doc) => {
    const id = ids.get(doc.id) ?? "";
    const config = renamed(doc.config, keys, options);
    const value: NodeDoc = {
      ...doc,
      id,
      key: keys.get(doc.key) ?? doc.key,
      ...config,
      in: scopeOf(drawing, doc, ids, options),
      x: doc.x + by.dx,
      y: doc.y + by.dy,
    };
    return { op: "node.add", id, value };
  });
  ops.push(...edgesOf(drawing, clip, ids, options));
  const notes = clip.notes.map((note) => {
    const { id: _, ...rest } = note;
    const id = options.newId();
    ops.push({ op: "note.add", id, value: { ...rest, x: note.x + by.dx, y: note.y + by.dy } });
    return id;
  });
  return { ops, nodes: [...ids.values()], notes, keys };
}

/** A container has to be there before what stands in it. */
function outerFirst(docs: readonly NodeDoc[]): readonly NodeDoc[] {
  const byId = new Map(docs.map((doc) => [doc.id, doc]));
  const sorted = new Set<NodeDoc>();
  const put = (doc: NodeDoc, depth: number): void => {
    const outer = byId.get(doc.in ?? "");
    if (outer !== undefined && depth < LIMITS.nesting) put(outer, depth + 1);
    sorted.add(doc);
  };
  for (const doc of docs) put(doc, 0);
  return [...sorted];
}

function scopeOf(
  drawing: Drawing,
  doc: NodeDoc,
  ids: ReadonlyMap<string, string>,
  options: PasteOptions,
): string | undefined {
  const copied = ids.get(doc.in ?? "");
  if (copied !== undefined) return copied;
  if (options.into !== undefined) return options.into || undefined;
  return drawing.nodes.has(doc.in ?? "") ? doc.in : undefined;
}

function renamed(
  config: JsonObject | undefined,
  keys: ReadonlyMap<string, string>,
  options: PasteOptions,
): { config?: JsonObject } {
  if (config === undefined) return {};
  return { config: options.rename === undefined ? config : options.rename(config, keys) };
}

function shift(clip: Clip, options: PasteOptions): { dx: number; dy: number } {
  if (options.at === undefined) return options.offset ?? { dx: 32, dy: 32 };
  const boxes: Box[] = [
    ...clip.nodes.map((n) => ({ x: n.x, y: n.y, w: 0, h: 0 })),
    ...clip.notes.map((n) => ({ x: n.x, y: n.y, w: 0, h: 0 })),
  ];
  const all = union(boxes) ?? { x: 0, y: 0, w: 0, h: 0 };
  return { dx: Math.round(options.at.x - all.x), dy: Math.round(options.at.y - all.y) };
}

function edgesOf(
  drawing: Drawing,
  clip: Clip,
  ids: ReadonlyMap<string, string>,
  options: PasteOptions,
): Op[] {
  const ops: Op[] = [];
  const links = options.keepLinks === true ? clip.outside : [];
  for (const e of [...clip.edges, ...links]) {
    const from = ids.get(e.from) ?? e.from;
    const to = ids.get(e.to) ?? e.to;
    const there = (id: string): boolean => drawing.nodes.has(id) || [...ids.values()].includes(id);
    if (there(from) && there(to))
      ops.push(addEdgeOp({ id: options.newId(), from, port: e.port, to }));
  }
  return ops;
}
