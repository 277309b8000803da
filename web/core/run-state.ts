// What a run looks like after some of its events. The fold is pure: it returns
// a new state and leaves the old one as it is, so that a state may be kept as
// a keyframe.

import type { Edge, Graph } from "./graph.ts";
import type { Brief, Fault } from "./run-event.ts";
import { endsRun, nodeOf, portsOf } from "./run-event.ts";
import type { NodeState, NodeStatus } from "./run-node.ts";
import { afterEvent, afterUndo, IDLE, undoneBy } from "./run-node.ts";
import type { TestState } from "./run-rig.ts";
import { afterTest } from "./run-rig.ts";
import type { Bodies, Scope } from "./run-scope.ts";
import { ROOT, ScopeDraft } from "./run-scope.ts";

export type RunStatus =
  | "running"
  | "waiting"
  | "paused"
  | "compensating"
  | "needs_attention"
  | "succeeded"
  | "failed"
  | "canceled"
  | "compensated";

export type RunState = {
  readonly seq: number;
  /** Of the last event. */
  readonly at: number;
  readonly status: RunStatus;
  readonly paused: boolean;
  /** Compensations that failed: a person has to decide about each. */
  readonly trouble: number;
  readonly started: number;
  readonly ended?: number | undefined;
  readonly error?: Fault | undefined;
  /** How a test run is controlled; absent: it is not. */
  readonly test?: TestState | undefined;
  /** By node key. */
  readonly nodes: ReadonlyMap<string, NodeState>;
  /** How many tokens went along each edge, by edge id. */
  readonly edges: ReadonlyMap<string, number>;
  /** Where tokens stand; 0 is the run's own scope. */
  readonly scopes: ReadonlyMap<number, Scope>;
  /** Of containers, by node key. */
  readonly bodies: ReadonlyMap<string, Bodies>;
  /** Scopes that undo what was done in them. */
  readonly undoing: ReadonlySet<number>;
};

/** What of a drawing the fold needs. */
export type Shape = {
  readonly keys: readonly string[];
  /** Edges out of a node, by its key. */
  readonly out: ReadonlyMap<string, readonly Edge[]>;
  /** Edge ids by their position in the machine. */
  readonly edges: readonly string[];
  /** The key of the step in which an edge ends, by edge id. */
  readonly ends: ReadonlyMap<string, string>;
};

/** The port of edges that lead to what undoes a step: no token takes them. */
const COMPENSATE = "compensate";

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
  const ends = new Map(graph.edges.map((e) => [e.id, keyOf.get(e.to) ?? ""]));
  return { keys, out, edges: ordered(graph.edges, keyOf), ends };
}

/** In the compiler's order: by key of the source, port, key of the target. */
function ordered(edges: readonly Edge[], keyOf: ReadonlyMap<string, string>): readonly string[] {
  return edges
    .filter((e) => e.port !== COMPENSATE)
    .map((e) => ({ id: e.id, by: [keyOf.get(e.from) ?? "", e.port, keyOf.get(e.to) ?? ""] }))
    .sort((a, b) => compare(a.by, b.by))
    .map((e) => e.id);
}

/** By the first word that differs. */
function compare(a: readonly string[], b: readonly string[]): number {
  for (const [i, word] of a.entries()) {
    const other = b[i] ?? "";
    if (word !== other) return word < other ? -1 : 1;
  }
  return 0;
}

export function startState(shape: Shape): RunState {
  return {
    seq: 0,
    at: 0,
    status: "running",
    paused: false,
    trouble: 0,
    started: 0,
    nodes: new Map(shape.keys.map((key) => [key, IDLE])),
    edges: new Map(),
    scopes: new Map([[0, ROOT]]),
    bodies: new Map(),
    undoing: new Set(),
  };
}

/** The edges along which an event sends tokens. */
export function taken(shape: Shape, e: Brief): readonly Edge[] {
  const ports = portsOf(e);
  const key = nodeOf(e);
  if (key === undefined || ports.length === 0) return [];
  return (shape.out.get(key) ?? []).filter((edge) => ports.includes(edge.port));
}

type Head = Omit<RunState, "nodes" | "edges" | "scopes" | "bodies" | "undoing">;

/** The state after some more events. */
export function fold(shape: Shape, before: RunState, events: readonly Brief[]): RunState {
  if (events.length === 0) return before;
  const nodes = new Map(before.nodes);
  const edges = new Map(before.edges);
  const draft = new ScopeDraft(before.scopes, before.bodies, before.undoing);
  let head: Head = before;
  for (const e of events) {
    stepNodes(nodes, draft, e);
    const along = taken(shape, e);
    draft.move(e, along, shape.edges, shape.ends);
    for (const edge of along) edges.set(edge.id, (edges.get(edge.id) ?? 0) + 1);
    head = afterHead(head, e);
    if (endsRun(e)) {
      settle(nodes);
      draft.end();
    }
  }
  if (head.ended === undefined) head = { ...head, status: statusOf(head, draft, nodes) };
  const { scopes, bodies, undoing } = draft;
  return { ...head, nodes, edges, scopes, bodies, undoing };
}

/** What an event does to its step, and to the one whose effect it undoes. */
function stepNodes(nodes: Map<string, NodeState>, draft: ScopeDraft, e: Brief): void {
  const key = nodeOf(e);
  const node = key === undefined ? undefined : nodes.get(key);
  if (key !== undefined && node !== undefined) {
    nodes.set(key, afterEvent(node, e));
    draft.contain(key, e);
  }
  const target = undoneBy(node, e);
  const undone = target === undefined ? undefined : nodes.get(target);
  if (target !== undefined && undone !== undefined) nodes.set(target, afterUndo(undone, e));
}

/** What an event says of the run as a whole. */
function afterHead(head: Head, e: Brief): Head {
  if (e.seq === 0) return head;
  const next: Head = { ...head, seq: e.seq, at: e.at };
  switch (e.type) {
    case "RunStarted":
      return { ...next, started: e.at };
    case "RunPaused":
      return { ...next, paused: true };
    case "RunResumed":
      return { ...next, paused: false };
    case "AttentionNeeded":
      return { ...next, trouble: head.trouble + 1 };
    case "AttentionResolved":
      return { ...next, trouble: Math.max(0, head.trouble - 1) };
    default:
      if (!endsRun(e)) return { ...next, test: afterTest(head.test, e) };
      return { ...next, status: endOf(e), ended: e.at, error: e.error, test: over(head.test) };
  }
}

function over(test: TestState | undefined): TestState | undefined {
  return test && { ...test, held: undefined, until: undefined };
}

function endOf(e: Brief): RunStatus {
  switch (e.type) {
    case "RunSucceeded":
      return "succeeded";
    case "RunFailed":
      return "failed";
    case "RunCompensated":
      return "compensated";
    default:
      return "canceled";
  }
}

function statusOf(head: Head, draft: ScopeDraft, nodes: ReadonlyMap<string, NodeState>): RunStatus {
  if (head.paused) return "paused";
  if (head.trouble > 0) return "needs_attention";
  return draft.undoing.size > 0 ? "compensating" : alive(nodes, head.test?.held !== undefined);
}

/** A run that does nothing but wait is waiting. */
function alive(nodes: ReadonlyMap<string, NodeState>, held: boolean): RunStatus {
  let waits = held;
  for (const node of nodes.values()) {
    for (const o of node.open) {
      if (o.phase === "backoff" || o.phase === "waiting" || o.phase === "inside") waits = true;
      else return "running";
    }
  }
  return waits ? "waiting" : "running";
}

/** After the end what was at work is canceled, what nobody reached is skipped. */
function settle(nodes: Map<string, NodeState>): void {
  for (const [key, node] of nodes) {
    if (node.status === "idle") nodes.set(key, { ...node, status: "skipped" });
    else if (node.open.length > 0)
      nodes.set(key, {
        ...node,
        status: node.status === "undone" ? "undone" : "canceled",
        open: [],
      });
  }
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
    undoing: 0,
    undone: 0,
  };
  for (const node of state.nodes.values()) counts[node.status] += 1;
  return counts;
}

/** Whether nothing follows. */
export function isOver(status: RunStatus | string): boolean {
  switch (status) {
    case "succeeded":
    case "failed":
    case "canceled":
    case "compensated":
      return true;
    default:
      return false;
  }
}
