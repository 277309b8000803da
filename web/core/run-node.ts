// What one event does to its step.

import type { Brief, Fault } from "./run-event.ts";

export type NodeStatus =
  | "idle"
  | "queued"
  | "running"
  | "waiting"
  | "done"
  | "failed"
  | "canceled"
  | "skipped"
  /** Its effect is being undone, and was. */
  | "undoing"
  | "undone";

/**
 * Queued, running, back-off and waiting as the words say. Failing: the last
 * attempt has failed, and the next event says what follows. Inside: the body
 * of a container is at work. Calling: another run is.
 */
export type Phase = "queued" | "running" | "backoff" | "waiting" | "failing" | "inside" | "calling";

/** A visit that is not over. */
export type Open = {
  /** 0: the run's own scope. */
  readonly scope: number;
  readonly visit: number;
  readonly phase: Phase;
  readonly attempt: number;
  /** When the visit began, and when this phase did. */
  readonly began: number;
  readonly since: number;
  /** When a wait or a back-off ends. */
  readonly until?: number | undefined;
  readonly worker?: string | undefined;
  /** The step whose effect this visit undoes. */
  readonly undoes?: string | undefined;
  /** What a running attempt has streamed so far. */
  readonly text?: string | undefined;
};

export type NodeState = {
  readonly status: NodeStatus;
  /** Started so far, in all scopes. */
  readonly visits: number;
  /** Of the last visit. */
  readonly attempt: number;
  /** When the last visit began, and how long it took once it was over. */
  readonly began: number;
  readonly took?: number | undefined;
  readonly ports: readonly string[];
  readonly error?: Fault | undefined;
  readonly open: readonly Open[];
  /** Visits that ended well, and that failed for good. */
  readonly done: number;
  readonly failed: number;
  /** The last event of this node. */
  readonly last: number;
};

export const IDLE: NodeState = {
  status: "idle",
  visits: 0,
  attempt: 0,
  began: 0,
  ports: [],
  open: [],
  done: 0,
  failed: 0,
  last: 0,
};

export function afterEvent(node: NodeState, e: Brief): NodeState {
  switch (e.type) {
    case "TaskScheduled":
      return opened(node, e, "queued");
    case "WaitStarted":
      return opened(node, e, "waiting");
    case "ContainerStarted":
    case "BodyStarted":
    case "ItemsStarted":
      return opened(node, e, "inside");
    case "BodyFailed":
    case "ItemFailed":
      return e.retry_at === undefined ? node : opened(node, e, "backoff");
    case "CallStarted":
      return opened(node, e, "calling");
    case "TaskStarted":
    case "TaskRunning":
      return running(node, e);
    case "TaskProgress":
      return progressed(node, e);
    case "TaskFailed":
      return attemptFailed(node, e);
    case "NodeFailed":
      return closed(node, e, "failed");
    case "VisitCanceled":
      return closed(node, e, "canceled");
    case "RunStarted":
    case "NodeCompleted":
    case "TaskCompleted":
    case "WaitCompleted":
    case "Responded":
    case "ContainerCompleted":
      return closed(node, e, "done");
    default:
      return node;
  }
}

/** What happens to a step when the effect of one of its visits is undone. */
export function afterUndo(node: NodeState, e: Brief): NodeState {
  switch (e.type) {
    case "TaskScheduled":
      return { ...node, status: "undoing", last: e.seq };
    case "TaskCompleted":
      return { ...node, status: "undone", last: e.seq };
    case "AttentionResolved":
      return { ...node, status: resolved(e.text), last: e.seq };
    default:
      return node;
  }
}

/** What a person decided about an effect that could not be undone. */
function resolved(action: string | undefined): NodeStatus {
  if (action === "retry") return "undoing";
  return action === "complete" ? "undone" : "done";
}

/** The key of the step whose effect an event's visit undoes. */
export function undoneBy(node: NodeState | undefined, e: Brief): string | undefined {
  return e.undoes?.node ?? node?.open.find((o) => same(o, e))?.undoes;
}

function same(o: Open, e: Brief): boolean {
  return o.scope === (e.scope ?? 0) && o.visit === (e.visit ?? 1);
}

function opened(node: NodeState, e: Brief, phase: Phase): NodeState {
  const was = node.open.find((o) => same(o, e));
  if (was?.phase === "inside" && phase === "inside") return { ...node, last: e.seq };
  const open: Open = {
    scope: e.scope ?? 0,
    visit: e.visit ?? 1,
    phase,
    attempt: e.attempt ?? 1,
    began: was?.began ?? e.at,
    since: e.at,
    until: phase === "backoff" ? e.retry_at : e.until,
    undoes: e.undoes?.node ?? was?.undoes,
  };
  const list =
    was === undefined ? [...node.open, open] : node.open.map((o) => (o === was ? open : o));
  return {
    ...node,
    status: atWork(list, node.status),
    visits: node.visits + (was === undefined ? 1 : 0),
    attempt: open.attempt,
    began: open.began,
    took: undefined,
    error: open.attempt > 1 ? node.error : undefined,
    open: list,
    last: e.seq,
  };
}

/** A live word about an attempt counts only while that attempt is open. */
function running(node: NodeState, e: Brief): NodeState {
  return change(node, e, (o) => ({
    ...o,
    phase: "running",
    since: e.began ?? e.at,
    until: undefined,
    worker: e.worker,
  }));
}

const TEXT_MAX = 4_000;

function progressed(node: NodeState, e: Brief): NodeState {
  return change(node, e, (o) => ({
    ...o,
    phase: "running",
    since: o.phase === "running" ? o.since : e.at,
    text: `${o.text ?? ""}${e.text ?? ""}`.slice(-TEXT_MAX),
  }));
}

function change(node: NodeState, e: Brief, by: (o: Open) => Open): NodeState {
  const fits = (o: Open) =>
    same(o, e) && o.attempt === (e.attempt ?? 1) && (o.phase === "queued" || o.phase === "running");
  if (!node.open.some(fits)) return node;
  const open = node.open.map((o) => (fits(o) ? by(o) : o));
  return { ...node, open, status: atWork(open, node.status) };
}

function attemptFailed(node: NodeState, e: Brief): NodeState {
  if (e.retry_at !== undefined) return { ...opened(node, e, "backoff"), error: e.error };
  const began = e.began ?? node.open.find((o) => same(o, e))?.since ?? e.at;
  return { ...opened(node, e, "failing"), error: e.error, took: e.at - began };
}

function closed(node: NodeState, e: Brief, how: "done" | "failed" | "canceled"): NodeState {
  const was = node.open.find((o) => same(o, e));
  const open = node.open.filter((o) => o !== was);
  const began = was?.began ?? e.at;
  return {
    ...node,
    status: atWork(open, how),
    visits: node.visits + (was === undefined ? 1 : 0),
    attempt: e.attempt ?? was?.attempt ?? 1,
    began,
    took: was?.phase === "failing" ? node.took : e.at - (e.began ?? began),
    ports: e.ports ?? (e.port === undefined ? [] : [e.port]),
    error: how === "failed" ? (e.error ?? node.error) : undefined,
    open,
    done: node.done + (how === "done" ? 1 : 0),
    failed: node.failed + (how === "failed" ? 1 : 0),
    last: e.seq,
  };
}

/** A node with several visits shows the one that is furthest in its work. */
function atWork(open: readonly Open[], otherwise: NodeStatus): NodeStatus {
  if (open.length === 0) return otherwise;
  const some = (...phases: readonly Phase[]) => open.some((o) => phases.includes(o.phase));
  if (some("running", "inside", "calling")) return "running";
  if (some("queued")) return "queued";
  return some("backoff", "waiting") ? "waiting" : "failed";
}
