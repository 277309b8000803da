// The drawing in hand: nodes, edges and notes by id, and the edges of each
// node. It is changed in place by ops.ts alone; everybody else reads.

import type { Edge, Graph, GraphNode, Json, Layout, NodeLayout, Note } from "./graph.ts";
import { FORMAT } from "./graph.ts";

const none: ReadonlySet<Edge> = new Set();
const nobody: ReadonlySet<string> = new Set();

export class Drawing {
  name = "";
  description = "";
  sample: Json | undefined;
  /** The whole run is a transaction. */
  transaction = false;

  readonly #nodes = new Map<string, GraphNode>();
  readonly #keys = new Map<string, string>();
  readonly #edges = new Map<string, Edge>();
  readonly #layout = new Map<string, NodeLayout>();
  readonly #notes = new Map<string, Note>();
  readonly #out = new Map<string, Set<Edge>>();
  readonly #into = new Map<string, Set<Edge>>();
  readonly #held = new Map<string, Set<string>>();

  constructor(graph?: Graph) {
    if (graph === undefined) return;
    this.name = graph.name ?? "";
    this.description = graph.description ?? "";
    this.sample = graph.layout.sample;
    this.transaction = graph.transaction === true;
    for (const n of graph.nodes) {
      this.putNode(n, graph.layout.nodes?.[n.id] ?? { x: 0, y: 0 });
    }
    for (const e of graph.edges) this.putEdge(e);
    for (const [id, note] of Object.entries(graph.layout.notes ?? {})) this.putNote(id, note);
  }

  get nodes(): ReadonlyMap<string, GraphNode> {
    return this.#nodes;
  }

  get edges(): ReadonlyMap<string, Edge> {
    return this.#edges;
  }

  get notes(): ReadonlyMap<string, Note> {
    return this.#notes;
  }

  /** Where a node lies and what it is called. */
  place(id: string): NodeLayout {
    return this.#layout.get(id) ?? { x: 0, y: 0 };
  }

  /** The node with a key. */
  byKey(key: string): GraphNode | undefined {
    const id = this.#keys.get(key);
    return id === undefined ? undefined : this.#nodes.get(id);
  }

  /** Edges that leave a node. */
  out(id: string): ReadonlySet<Edge> {
    return this.#out.get(id) ?? none;
  }

  /** Edges that enter a node. */
  into(id: string): ReadonlySet<Edge> {
    return this.#into.get(id) ?? none;
  }

  /** Edges that leave one port. */
  outOf(id: string, port: string): readonly Edge[] {
    return [...this.out(id)].filter((e) => e.port === port);
  }

  /** The container that a node stands in; undefined: the workflow itself. */
  parent(id: string): string | undefined {
    return this.#nodes.get(id)?.in || undefined;
  }

  /** The nodes that stand directly in a container. */
  held(id: string): ReadonlySet<string> {
    return this.#held.get(id) ?? nobody;
  }

  /** All nodes that stand in a container at any depth, outer ones first. */
  inside(id: string): ReadonlySet<string> {
    const found = new Set(this.held(id));
    // A set may grow while it is walked through.
    for (const one of found) for (const more of this.held(one)) found.add(more);
    return found;
  }

  /** The containers around a node, the nearest first. */
  around(id: string): readonly string[] {
    const found: string[] = [];
    for (let up = this.parent(id); up !== undefined; up = this.parent(up)) {
      if (found.includes(up)) break;
      found.push(up);
    }
    return found;
  }

  /** The drawing as the server reads it. */
  graph(): Graph {
    const layout: Layout = {
      nodes: Object.fromEntries(this.#layout),
      notes: Object.fromEntries(this.#notes),
      ...(this.sample === undefined ? {} : { sample: this.sample }),
    };
    return {
      signalbox: FORMAT,
      ...(this.name === "" ? {} : { name: this.name }),
      ...(this.description === "" ? {} : { description: this.description }),
      nodes: [...this.#nodes.values()],
      edges: [...this.#edges.values()],
      ...(this.transaction ? { transaction: true } : {}),
      layout,
    };
  }

  /** Puts a node in, or in the place of the one with its id. */
  putNode(node: GraphNode, place?: NodeLayout): void {
    const old = this.#nodes.get(node.id);
    if (old !== undefined) this.#keys.delete(old.key);
    if (old?.in !== undefined) this.#held.get(old.in)?.delete(node.id);
    if (node.in) member(this.#held, node.in).add(node.id);
    this.#nodes.set(node.id, node);
    this.#keys.set(node.key, node.id);
    if (place !== undefined) this.#layout.set(node.id, place);
  }

  putPlace(id: string, place: NodeLayout): void {
    this.#layout.set(id, place);
  }

  /** Takes out a node; its edges must be gone. */
  dropNode(id: string): void {
    const old = this.#nodes.get(id);
    if (old === undefined) return;
    this.#keys.delete(old.key);
    if (old.in !== undefined) this.#held.get(old.in)?.delete(id);
    this.#nodes.delete(id);
    this.#layout.delete(id);
    this.#out.delete(id);
    this.#into.delete(id);
  }

  putEdge(edge: Edge): void {
    this.#unlink(edge.id);
    this.#edges.set(edge.id, edge);
    member(this.#out, edge.from).add(edge);
    member(this.#into, edge.to).add(edge);
  }

  dropEdge(id: string): void {
    this.#unlink(id);
    this.#edges.delete(id);
  }

  putNote(id: string, note: Note): void {
    this.#notes.set(id, note);
  }

  dropNote(id: string): void {
    this.#notes.delete(id);
  }

  #unlink(id: string): void {
    const old = this.#edges.get(id);
    if (old === undefined) return;
    this.#out.get(old.from)?.delete(old);
    this.#into.get(old.to)?.delete(old);
  }
}

function member<T>(map: Map<string, Set<T>>, id: string): Set<T> {
  const had = map.get(id);
  if (had !== undefined) return had;
  const made = new Set<T>();
  map.set(id, made);
  return made;
}
