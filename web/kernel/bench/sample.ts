// Drawings to look at and to measure: a small one that shows everything, and
// large ones of any size.

import { unknownSpec } from "../../core/card.ts";
import type { Edge, Graph, GraphNode, NodeLayout, Port, Spec } from "../../core/graph.ts";

function kind(
  name: string,
  title: string,
  tile: string,
  icon: string,
  more: Partial<Spec> = {},
): Spec {
  return { ...unknownSpec(name), title, tile, icon, ports: [success, failure], ...more };
}

const success: Port = { name: "success", title: "Success" };
const failure: Port = { name: "failure", title: "Failure", optional: true, failure: true };

export const SPECS: readonly Spec[] = [
  kind("webhook", "Webhook", "trigger", "radio", {
    ports: [success],
    no_input: true,
    subtitle: "{path}",
  }),
  kind("http", "HTTP request", "http", "globe", { subtitle: "{method} {url}" }),
  kind("llm", "Ask a model", "ai", "sparkles", { subtitle: "model: {model}" }),
  kind("mock", "Mock task", "queue", "activity", { subtitle: "{queue}" }),
  kind("wait", "Wait", "human", "timer", { subtitle: "{duration}" }),
  kind("set", "Set fields", "data", "braces", {}),
  kind("fail", "Fail", "saga", "octagon-x", { ports: [], subtitle: "{code}" }),
  kind("group", "Group", "logic", "group", { container: true }),
  kind("end", "End", "logic", "circle-stop", { ports: [] }),
  kind("route", "Route", "logic", "split", {
    ports: [{ name: "default", title: "default" }, failure],
    ports_of: { field: "rules", name: "port", label: "when" },
    subtitle: "{match} match wins",
  }),
];

type Row = readonly [
  id: string,
  kind: string,
  x: number,
  y: number,
  title: string,
  config: GraphNode["config"],
];

const rows: readonly Row[] = [
  ["created", "webhook", 32, 352, "Ticket created", { path: "events.ticket.created" }],
  ["enrich", "http", 312, 352, "Enrich customer", { method: "GET", url: "/customers/{id}" }],
  [
    "route",
    "route",
    592,
    296,
    "Route by attributes",
    {
      match: "first",
      rules: [
        { port: "express", when: "priority ≥ 8" },
        { port: "vision", when: "attachment is image" },
      ],
    },
  ],
  ["triage", "llm", 928, 112, "Express triage", { model: "triage-small" }],
  ["vision", "mock", 928, 312, "Vision inspect", { queue: "queue.cv · 4 workers" }],
  ["batch", "llm", 928, 512, "Batch classify", { model: "batch-50" }],
  ["reserve", "http", 1224, 312, "Reserve agent", { method: "POST", url: "/agents/reserve" }],
  ["send", "http", 1520, 312, "Send reply", { method: "POST", url: "/replies" }],
  ["approve", "wait", 1224, 608, "Approve refund", { duration: "30m" }],
  ["done", "end", 1816, 312, "Done", {}],
];

const lines: readonly (readonly [string, string, string])[] = [
  ["created", "success", "enrich"],
  ["enrich", "success", "route"],
  ["route", "express", "triage"],
  ["route", "vision", "vision"],
  ["route", "default", "batch"],
  ["triage", "success", "reserve"],
  ["vision", "success", "reserve"],
  ["batch", "success", "reserve"],
  ["batch", "failure", "approve"],
  ["reserve", "success", "send"],
  ["send", "success", "done"],
  ["approve", "success", "enrich"],
];

/** The drawing of the mock, with a loop and a note. */
export function sample(): Graph {
  const nodes: GraphNode[] = [];
  const layout: Record<string, NodeLayout> = {};
  for (const [id, name, x, y, title, config] of rows) {
    nodes.push({ id, key: id, kind: name, config });
    layout[id] = id === "enrich" ? { x, y, title, pin: { id: 7 } } : { x, y, title };
  }
  const edges: Edge[] = lines.map(([from, port, to]) => ({
    id: `${from}-${port}-${to}`,
    from,
    port,
    to,
  }));
  const text = "Images go to the vision queue.\nWhat nobody is sure about waits for a person.";
  const notes = { hint: { x: 592, y: 136, w: 248, h: 96, text } };
  return { signalbox: 1, name: "Ticket triage", nodes, edges, layout: { nodes: layout, notes } };
}

type Held = readonly [
  id: string,
  kind: string,
  at: readonly [number, number],
  within: string,
  more?: Partial<GraphNode> & Partial<NodeLayout>,
];

const held: readonly Held[] = [
  ["start", "webhook", [48, 240], ""],
  ["pay", "group", [360, 64], "", { config: { transaction: true }, title: "Payment" }],
  ["reserve", "http", [384, 136], "pay"],
  ["charge", "http", [680, 136], "pay"],
  ["release", "http", [480, 264], "pay"],
  ["deep", "group", [384, 400], "pay", { title: "Deeper", w: 620, h: 240 }],
  ["note", "set", [432, 496], "deep"],
  ["after", "http", [1120, 240], ""],
  ["folded", "group", [1120, 400], "", { folded: true, title: "Folded" }],
  ["hidden", "set", [1160, 500], "folded"],
];

/** A drawing with containers in containers, one of them folded. */
export function framed(): Graph {
  const layout: Record<string, NodeLayout> = {};
  const nodes = held.map(([id, name, [x, y], within, more = {}]): GraphNode => {
    const { title, w, h, folded, ...rest } = more;
    layout[id] = { x, y, title: title ?? id, w, h, folded };
    return {
      id,
      key: id,
      kind: name,
      config: {},
      ...(within === "" ? {} : { in: within }),
      ...rest,
    };
  });
  const edges = [
    ["start", "success", "pay"],
    ["reserve", "success", "charge"],
    ["reserve", "compensate", "release"],
    ["pay", "success", "after"],
  ].map(([from = "", port = "", to = ""]) => ({ id: `${from}-${to}`, from, port, to }));
  return { signalbox: 1, name: "Framed", nodes, edges, layout: { nodes: layout } };
}

const kinds = ["http", "llm", "mock", "set", "route", "wait"];

/** A drawing of n steps in a square of columns. */
export function large(n: number): Graph {
  const columns = Math.ceil(Math.sqrt(n));
  const nodes: GraphNode[] = [];
  const layout: Record<string, NodeLayout> = {};
  const edges: Edge[] = [];
  for (let i = 0; i < n; i++) {
    const id = `n${i}`;
    const name = kinds[(i * 7) % kinds.length] ?? "http";
    const config =
      name === "route"
        ? { match: "first", rules: [{ port: "a", when: `input.n > ${i}` }] }
        : { url: `/orders/${i}`, method: "POST", model: "small", queue: "default", duration: "5m" };
    nodes.push({ id, key: id, kind: name, config });
    layout[id] = {
      x: (i % columns) * 320,
      y: Math.floor(i / columns) * 168,
      title: `Step ${i} of a flow`,
    };
    if (i % columns > 0) edges.push(line(i - 1, i));
    if (i >= columns && i % 3 === 0) edges.push(line(i - columns, i));
  }
  return { signalbox: 1, nodes, edges, layout: { nodes: layout } };
}

/** The same with eight steps each in a group. */
export function grouped(n: number): Graph {
  const flat = large(n);
  const columns = Math.ceil(Math.sqrt(n));
  const groupOf = (i: number): string =>
    `g${Math.floor(i / columns)}-${Math.floor((i % columns) / 8)}`;
  const layout: Record<string, NodeLayout> = {};
  const groups = new Map<string, GraphNode>();
  const nodes = flat.nodes.map((node, i) => {
    const id = groupOf(i);
    const place = flat.layout.nodes?.[node.id] ?? { x: 0, y: 0 };
    const [x, y] = [
      place.x + Math.floor((i % columns) / 8) * 96,
      place.y + Math.floor(i / columns) * 112,
    ];
    if (!groups.has(id)) {
      groups.set(id, { id, key: id.replace("-", "_"), kind: "group" });
      layout[id] = { x, y, title: `Group ${groups.size}` };
    }
    layout[node.id] = { ...place, x, y };
    return { ...node, in: id };
  });
  const at = new Map(nodes.map((node) => [node.id, node.in]));
  const edges = flat.edges.filter((e) => at.get(e.from) === at.get(e.to));
  return { signalbox: 1, nodes: [...groups.values(), ...nodes], edges, layout: { nodes: layout } };
}

function line(from: number, to: number): Edge {
  const port = (kinds[(from * 7) % kinds.length] ?? "") === "route" ? "default" : "success";
  return { id: `e${from}-${to}`, from: `n${from}`, port, to: `n${to}` };
}
