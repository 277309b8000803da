// What a run looks like after some of its events. The fold is pure: it returns
// a new state and leaves the old one as it is, so that a state may be kept as
// a keyframe.

import type { Edge, Graph } from "./graph.ts";
import type { Brief, Fault } from "./run-event.ts";
import { endsRun, nodeOf, portsOf } from "./run-event.ts";

export type NodeStatus =
  | "idle"
  | "queued"
  | "running"
  | "waiting"
  | "done"
  | "failed"
  | "canceled"
  | "skipped";

export type RunStatus = "running" | "waiting" | "succeeded" | "failed" | "canceled";

/** A visit that is not over. */
export type Open = {
  readonly visit: number;
  readonly phase: "queued" | "running" | "backoff" | "waiting";
  readonly attempt: number;
  /** When this phase began. */
  readonly since: number;
  /** When a wait or a back-off ends. */
  readonly until?: number | undefined;
  readonly worker?: string | undefined;
  /** What a running attempt has streamed so far. */
  readonly text?: string | undefined;
};

export type NodeState = {
  readonly status: NodeStatus;
  readonly visits: number;
  /** Of the last visit. */
  readonly attempt: number;
  /** When the last visit began, and how long it took once it was over. */
  readonly began: number;
  readonly took?: number | undefined;
  readonly ports: readonly string[];
  readonly error?: Fault | undefined;
  readonly open: readonly Open[];
  /** The last event of this node. */
  readonly last: number;
};

export type RunState = {
  readonly seq: number;
  /** Of the last event. */
  readonly at: number;
  readonly status: RunStatus;
  readonly started: number;
  readonly ended?: number | undefined;
  readonly error?: Fault | undefined;
  /** By node key. */
  readonly nodes: ReadonlyMap<string, NodeState>;
  /** How many tokens went along each edge, by edge id. */
  readonly edges: ReadonlyMap<string, number>;
};

/** What of a drawing the fold needs. */
export type Shape = {
  readonly keys: readonly string[];
  /** Edges out of a node, by its key. */
  readonly out: ReadonlyMap<string, readonly Edge[]>;
};

export function shapeOf(graph: Graph): Shape {
  const keys = graph.nodes.map((n) => n.key);
  const keyOf = new Map(graph.nodes.map((n) => [n.id, n.key]));
  const out = new Map<string, Edge[]>();
  for (const edge of graph.edges) {
    const key = keyOf.get(edge.from);
    if (key === undefined) continue;
    const list = out.get(key);
    if (list === undefined) out.set(key, [edge]);
    else list.push(edge);
  }
  return { keys, out };
}

const IDLE: NodeState = {
  status: "idle",
  visits: 0,
  attempt: 0,
  began: 0,
  ports: [],
  open: [],
  last: 0,
};

export function startState(shape: Shape): RunState {
  return {
    seq: 0,
    at: 0,
    status: "running",
    started: 0,
    nodes: new Map(shape.keys.map((key) => [key, IDLE])),
    edges: new Map(),
  };
}

/** The edges along which an event sends tokens. */
export function taken(shape: Shape, e: Brief): readonly Edge[] {
  const ports = portsOf(e);
  const key = nodeOf(e);
  if (key === undefined || ports.length === 0) return [];
  return (shape.out.get(key) ?? []).filter((edge) => ports.includes(edge.port));
}

type Head = Omit<RunState, "nodes" | "edges">;

/** The state after some more events. */
export function fold(shape: Shape, before: RunState, events: readonly Brief[]): RunState {
  if (events.length === 0) return before;
  const nodes = new Map(before.nodes);
  const edges = new Map(before.edges);
  let head: Head = before;
  for (const e of events) {
    const key = nodeOf(e);
    const node = key === undefined ? undefined : nodes.get(key);
    if (key !== undefined && node !== undefined) nodes.set(key, afterEvent(node, e));
    for (const edge of taken(shape, e)) edges.set(edge.id, (edges.get(edge.id) ?? 0) + 1);
    head = afterHead(head, e);
    if (endsRun(e)) settle(nodes);
  }
  if (head.ended === undefined) head = { ...head, status: alive(nodes) };
  return { ...head, nodes, edges };
}

/** What an event says of the run as a whole. */
function afterHead(head: Head, e: Brief): Head {
  if (e.seq === 0) return head;
  const next: Head = { ...head, seq: e.seq, at: e.at };
  if (e.type === "RunStarted") return { ...next, started: e.at };
  return endsRun(e) ? { ...next, status: endOf(e), ended: e.at, error: e.error } : next;
}

function endOf(e: Brief): RunStatus {
  if (e.type === "RunSucceeded") return "succeeded";
  return e.type === "RunFailed" ? "failed" : "canceled";
}

/** A run that does nothing but wait is waiting. */
function alive(nodes: ReadonlyMap<string, NodeState>): RunStatus {
  let waits = false;
  for (const node of nodes.values()) {
    if (node.status === "queued" || node.status === "running") return "running";
    waits ||= node.status === "waiting";
  }
  return waits ? "waiting" : "running";
}

/** After the end what was at work is canceled, what nobody reached is skipped. */
function settle(nodes: Map<string, NodeState>): void {
  for (const [key, node] of nodes) {
    if (node.status === "idle") nodes.set(key, { ...node, status: "skipped" });
    else if (node.open.length > 0) nodes.set(key, { ...node, status: "canceled", open: [] });
  }
}

function afterEvent(node: NodeState, e: Brief): NodeState {
  const visit = e.visit ?? 1;
  switch (e.type) {
    case "TaskScheduled":
      return opened(node, e, { visit, phase: "queued", attempt: e.attempt ?? 1, since: e.at });
    case "WaitStarted":
      return opened(node, e, { visit, phase: "waiting", attempt: 1, since: e.at, until: e.until });
    case "TaskRunning":
      return running(node, e, visit);
    case "TaskProgress":
      return progressed(node, e, visit);
    case "TaskFailed":
      return attemptFailed(node, e, visit);
    case "NodeFailed":
      return closed(node, e, visit, "failed");
    case "RunStarted":
    case "NodeCompleted":
    case "TaskCompleted":
    case "WaitCompleted":
    case "Responded":
      return closed(node, e, visit, "done");
    default:
      return node;
  }
}

function opened(node: NodeState, e: Brief, open: Open): NodeState {
  const known = node.open.some((o) => o.visit === open.visit);
  const list = known
    ? node.open.map((o) => (o.visit === open.visit ? open : o))
    : [...node.open, open];
  return {
    ...node,
    status: atWork(list, node.status),
    visits: Math.max(node.visits, open.visit),
    attempt: open.attempt,
    began: known ? node.began : e.at,
    took: undefined,
    error: open.attempt > 1 ? node.error : undefined,
    open: list,
    last: e.seq,
  };
}

/** A live word about an attempt counts only while that attempt is open. */
function running(node: NodeState, e: Brief, visit: number): NodeState {
  return change(node, e, visit, (o) => ({
    ...o,
    phase: "running",
    since: e.began ?? e.at,
    until: undefined,
    worker: e.worker,
  }));
}

const TEXT_MAX = 4_000;

function progressed(node: NodeState, e: Brief, visit: number): NodeState {
  return change(node, e, visit, (o) => ({
    ...o,
    phase: "running",
    since: o.phase === "running" ? o.since : e.at,
    text: `${o.text ?? ""}${e.text ?? ""}`.slice(-TEXT_MAX),
  }));
}

function change(node: NodeState, e: Brief, visit: number, by: (o: Open) => Open): NodeState {
  const fits = (o: Open) =>
    o.visit === visit && o.attempt === (e.attempt ?? 1) && o.phase !== "backoff";
  if (!node.open.some(fits)) return node;
  const open = node.open.map((o) => (fits(o) ? by(o) : o));
  return { ...node, open, status: atWork(open, node.status) };
}

function attemptFailed(node: NodeState, e: Brief, visit: number): NodeState {
  if (e.retry_at === undefined) return closed(node, e, visit, "failed");
  const attempt = e.attempt ?? 1;
  const wait: Open = { visit, phase: "backoff", attempt, since: e.at, until: e.retry_at };
  return {
    ...opened(node, e, wait),
    began: node.began === 0 ? (e.began ?? e.at) : node.began,
    error: e.error,
  };
}

function closed(node: NodeState, e: Brief, visit: number, how: "done" | "failed"): NodeState {
  const was = node.open.some((o) => o.visit === visit);
  const open = node.open.filter((o) => o.visit !== visit);
  const inline = !was && node.last !== e.seq && visit > node.visits;
  const began = inline ? e.at : node.began;
  return {
    ...node,
    status: atWork(open, how),
    visits: Math.max(node.visits, visit),
    attempt: e.attempt ?? (inline ? 1 : Math.max(1, node.attempt)),
    began,
    took: was || inline ? e.at - (e.began ?? began) : node.took,
    ports: e.ports ?? (e.port === undefined ? [] : [e.port]),
    error: how === "failed" ? (e.error ?? node.error) : undefined,
    open,
    last: e.seq,
  };
}

/** A node with several visits shows the one that is furthest in its work. */
function atWork(open: readonly Open[], otherwise: NodeStatus): NodeStatus {
  if (open.length === 0) return otherwise;
  if (open.some((o) => o.phase === "running")) return "running";
  if (open.some((o) => o.phase === "queued")) return "queued";
  return "waiting";
}

export type Counts = Readonly<Record<NodeStatus, number>>;

export function countNodes(state: RunState): Counts {
  const counts: Record<NodeStatus, number> = {
    idle: 0,
    queued: 0,
    running: 0,
    waiting: 0,
    done: 0,
    failed: 0,
    canceled: 0,
    skipped: 0,
  };
  for (const node of state.nodes.values()) counts[node.status] += 1;
  return counts;
}

/** Whether nothing follows. */
export function isOver(status: RunStatus | string): boolean {
  return status === "succeeded" || status === "failed" || status === "canceled";
}
