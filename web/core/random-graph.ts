// Random drawings and random changes of them, the same for the same seed. For
// tests and measurements.

import { Drawing } from "./drawing.ts";
import type { Edge, Graph, GraphNode, NodeLayout, Op } from "./graph.ts";
import { apply } from "./ops.ts";

/** Numbers in 0…1 that follow from a seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(random: () => number, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

const kinds = ["http", "route", "if", "set", "wait", "llm", "join"];
const ports = ["success", "failure", "express", "default"];

export function randomGraph(random: () => number, size = 1 + Math.floor(random() * 12)): Graph {
  const nodes: GraphNode[] = [];
  const layout: Record<string, NodeLayout> = {};
  for (let i = 0; i < size; i++) {
    const id = `n${i}`;
    nodes.push({
      id,
      key: `k${i}`,
      kind: pick(random, kinds) ?? "http",
      config: { url: "u", list: [1, { a: 1 }] },
    });
    layout[id] = { x: Math.floor(random() * 2_000), y: Math.floor(random() * 2_000) };
  }
  const edges = new Map<string, Edge>();
  for (let i = 0; i < size * 1.5; i++) {
    const from = pick(random, nodes)?.id ?? "n0";
    const to = pick(random, nodes)?.id ?? "n0";
    const port = pick(random, ports) ?? "success";
    edges.set(`${from} ${port} ${to}`, { id: `e${i}`, from, port, to });
  }
  const notes = { t0: { x: 0, y: 0, w: 160, h: 80, text: "hello" } };
  return {
    signalbox: 1,
    name: "Random",
    nodes,
    edges: [...edges.values()],
    layout: { nodes: layout, notes },
  };
}

/** Operations that can be applied one after another. */
export function randomOps(random: () => number, drawing: Drawing, count: number): Op[] {
  const trial = new Drawing(drawing.graph());
  const ops: Op[] = [];
  for (let i = 0; i < count * 20 && ops.length < count; i++) {
    const op = randomOp(random, trial, i);
    try {
      apply(trial, [op]);
      ops.push(op);
    } catch {
      // It does not fit this drawing: another one will.
    }
  }
  return ops;
}

function randomOp(random: () => number, d: Drawing, i: number): Op {
  const id = pick(random, [...d.nodes.keys()]) ?? "gone";
  const edge = pick(random, [...d.edges.keys()]) ?? "gone";
  const note = pick(random, [...d.notes.keys()]) ?? "gone";
  const to = pick(random, [...d.nodes.keys()]) ?? "gone";
  const port = pick(random, ports) ?? "success";
  const n = Math.floor(random() * 1_000);
  const choices: readonly Op[] = [
    {
      op: "node.add",
      id: `x${i}`,
      value: { key: `x${n}`, kind: "http", config: { a: n }, x: n, y: 1, title: "New" },
    },
    {
      op: "node.add",
      id: `z${i}`,
      value: { key: `z${n}`, kind: "http", in: to, x: n, y: 1, w: 300, folded: true },
    },
    { op: "node.move", id, value: { x: n, y: -n } },
    { op: "node.del", id },
    { op: "node.size", id, value: { w: n, h: n, folded: random() < 0.5 } },
    { op: "node.size", id, value: {} },
    { op: "node.set", id, path: "/in", value: to },
    { op: "node.set", id, path: "/in" },
    { op: "node.set", id, path: "/pivot", value: random() < 0.5 },
    { op: "graph.set", path: "/transaction", value: random() < 0.5 },
    { op: "node.set", id, path: "/title", value: random() < 0.3 ? "" : `T${n}` },
    { op: "node.set", id, path: "/pin", value: random() < 0.3 ? null : { n } },
    { op: "node.set", id, path: "/pin" },
    { op: "node.set", id, path: "/key", value: `y${n}` },
    { op: "node.set", id, path: "/disabled", value: random() < 0.5 },
    { op: "node.set", id, path: "/retry", value: { max_attempts: n } },
    { op: "node.set", id, path: "/retry" },
    { op: "node.set", id, path: "/config/url", value: n },
    { op: "node.set", id, path: "/config/list/1/a", value: n },
    { op: "node.set", id, path: "/config/list/-", value: n },
    { op: "node.set", id, path: "/config/deep/er/still", value: n },
    { op: "node.set", id, path: "/config/deep/er" },
    { op: "node.set", id, path: "/config", value: { fresh: n } },
    { op: "edge.add", id: `f${i}`, value: { from: id, port, to } },
    { op: "edge.set", id: edge, path: "/to", value: to },
    { op: "edge.set", id: edge, path: "/port", value: port },
    { op: "edge.del", id: edge },
    { op: "note.add", id: `m${i}`, value: { x: n, y: n, w: 100, h: 50, text: "" } },
    { op: "note.set", id: note, path: "/text", value: `N${n}` },
    { op: "note.set", id: note, path: "/w", value: n },
    { op: "note.del", id: note },
    { op: "graph.set", path: "/name", value: `G${n}` },
    { op: "graph.set", path: "/sample", value: random() < 0.5 ? undefined : { n } },
  ];
  return pick(random, choices) ?? { op: "node.del", id };
}
