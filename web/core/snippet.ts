// Parts of drawings that are kept under a name: what is kept, and how they hang
// on what is around when they are put in.

import type { Clip } from "./clip.ts";
import type { Edge, Graph, GraphNode, NodeDoc, NodeLayout } from "./graph.ts";
import { COMPENSATE, FORMAT } from "./graph.ts";

/** What is kept of copied steps: nothing that was seen in runs. */
export function graphOf(clip: Clip, name: string): Graph {
  const ids = new Set(clip.nodes.map((n) => n.id));
  const layout: Record<string, NodeLayout> = {};
  const nodes = clip.nodes.map((doc): GraphNode => {
    const { x, y, title, w, h, folded, notes, pin: _, in: scope, ...node } = doc;
    layout[doc.id] = JSON.parse(JSON.stringify({ x, y, title, w, h, folded, notes })) as NodeLayout;
    return scope !== undefined && ids.has(scope) ? { ...node, in: scope } : node;
  });
  const notes = Object.fromEntries(clip.notes.map(({ id, ...note }) => [id, note]));
  return {
    signalbox: FORMAT,
    name,
    nodes,
    edges: clip.edges.map((e) => ({ id: e.id, from: e.from, port: e.port, to: e.to })),
    layout: { nodes: layout, ...(clip.notes.length > 0 ? { notes } : {}) },
  };
}

/** The steps of a whole workflow file, as if they were copied. */
export function clipOf(graph: Graph): Clip {
  const nodes = graph.nodes.map(
    (n): NodeDoc => ({ ...n, ...(graph.layout?.nodes?.[n.id] ?? { x: 0, y: 0 }) }),
  );
  const notes = Object.entries(graph.layout?.notes ?? {}).map(([id, note]) => ({ id, ...note }));
  return { signalbox_clip: 1, nodes, edges: graph.edges ?? [], outside: [], notes };
}

/**
 * The step that others lead to, and the one that leads on: the first that
 * nothing leads to, and the rightmost whose way out is free.
 */
export function endsOf(
  clip: Clip,
  mainPort: (node: NodeDoc) => string | undefined,
): { readonly entry: string | undefined; readonly exit: string | undefined } {
  const undoes = new Set(clip.edges.filter((e) => e.port === COMPENSATE).map((e) => e.to));
  const outer = clip.nodes.filter((n) => n.in === undefined && !undoes.has(n.id));
  const entry = outer.find((n) => !clip.edges.some((e) => e.to === n.id));
  const free = outer.filter((n) => {
    const port = mainPort(n);
    return port !== undefined && !clip.edges.some((e: Edge) => e.from === n.id && e.port === port);
  });
  const [exit] = [...free].sort((a, b) => b.x - a.x || a.y - b.y);
  return { entry: entry?.id, exit: exit?.id };
}
