// The words for events and steps.

import type { Brief } from "../core/run-event.ts";
import { toneOf } from "../core/run-event.ts";
import type { NodeState } from "../core/run-node.ts";
import type { Bodies } from "../core/run-scope.ts";
import type { RunState } from "../core/run-state.ts";
import { ticking, took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import type { Foot } from "./stage.ts";
import type { RunStore } from "./store.ts";

/** What an event says in one line. */
export function eventWords(e: Brief): string {
  const word =
    e.type === "TaskFailed" ? t("run.event.attempt", { n: e.attempt ?? 1 }) : typeWords(e.type);
  const detail = detailOf(e);
  return detail === "" ? word : t("run.event.with", { what: word, detail });
}

/** A type that this page does not know yet is called by its name. */
export function typeWords(type: string): string {
  const key = `run.event.${type}`;
  const word = t(key);
  return word === key ? type : word;
}

function detailOf(e: Brief): string {
  const attempt =
    (e.attempt ?? 1) > 1 && e.type !== "TaskFailed" ? t("run.attempt", { n: e.attempt ?? 1 }) : "";
  const body = /^Body|^ItemF/.test(e.type) ? t("run.body", { n: (e.index ?? 0) + 1 }) : "";
  return [attempt, body, ...facts(e)].filter((s) => s !== "").join(" · ");
}

function facts(e: Brief): readonly string[] {
  switch (e.type) {
    case "RunStarted":
      return [sourceWords(e.source)];
    case "TaskScheduled":
      return [e.queue ?? "", learned(e), e.text ?? ""];
    case "TaskFailed":
    case "NodeFailed":
    case "ItemFailed":
    case "RunFailed":
      return failure(e);
    case "ItemsStarted":
    case "ItemsEnded":
    case "ItemsCanceled":
      return [String(e.count)];
    case "RunCanceled":
      return [e.by === undefined || e.by === "" ? "" : t("run.by", { name: e.by })];
    case "WaitStarted":
      return [e.until === undefined ? "" : t("run.for", { time: took(e.until - e.at) })];
    case "Responded":
      return [e.status === undefined ? "" : String(e.status)];
    case "TaskCompleted":
      return [ports(e), e.began === undefined ? "" : took(e.at - e.began)];
    default:
      return [ports(e)];
  }
}

function failure(e: Brief): readonly string[] {
  return [
    e.error?.class ?? "",
    e.retry_at === undefined ? "" : t("run.retry_in", { time: took(e.retry_at - e.at) }),
    e.handled === true ? t("run.handled") : "",
  ];
}

/** A source that has no words of its own is called by its name. */
function sourceWords(source: string | undefined): string {
  if (source === undefined) return "";
  const key = `run.source.${source}`;
  const word = t(key);
  return word === key ? source : word;
}

function ports(e: Brief): string {
  const list = e.ports ?? (e.port === undefined ? [] : [e.port]);
  return list.filter((p) => p !== "success").join(", ");
}

/** Why a learned rule chose the queue. */
function learned(e: Brief): string {
  if (e.why === undefined) return "";
  return t(`run.learned.${e.why}`, { share: Math.round((e.share ?? 0) * 1000) / 10 });
}

const ICONS: Readonly<Record<string, string>> = {
  RunStarted: "play",
  TaskScheduled: "list",
  TaskCompleted: "check",
  NodeCompleted: "check",
  Responded: "reply",
  TaskFailed: "x",
  NodeFailed: "octagon-x",
  WaitStarted: "clock",
  WaitCompleted: "check",
  RunSucceeded: "flag",
  RunFailed: "octagon-x",
  RunCanceled: "circle-stop",
  ContainerStarted: "square",
  BodyStarted: "play",
  BodyCompleted: "check",
  BodyFailed: "x",
  ContainerCompleted: "check",
  ItemsStarted: "play",
  ItemsEnded: "check",
  ItemFailed: "x",
  ItemsCanceled: "circle-stop",
  VisitCanceled: "circle-stop",
  TokensAbsorbed: "minus",
  SignalReceived: "radio",
  CallStarted: "workflow",
  CompensationStarted: "undo-2",
  CompensationCompleted: "undo-2",
  AttentionNeeded: "octagon-x",
  RunPaused: "pause",
  RunResumed: "play",
  RunCompensated: "undo-2",
  TestArranged: "settings-2",
  OutputPinned: "pin",
  ClockMoved: "timer",
  VisitHeld: "circle-pause",
  VisitReleased: "play",
};

export function eventIcon(e: Brief): string {
  return e.type === "TaskFailed" && e.retry_at !== undefined
    ? "rotate-ccw"
    : (ICONS[e.type] ?? "circle-help");
}

/** A failed attempt that is tried again is a warning, not an end. */
export function eventTone(e: Brief): string {
  return e.type === "TaskFailed" && e.retry_at !== undefined ? "wait" : toneOf(e);
}

/** The line under a card. */
export function footOf(node: NodeState, now: number, bodies?: Bodies): Foot {
  return { left: leftOf(node, now), right: bodies === undefined ? rightOf(node) : itemsOf(bodies) };
}

/** How far a container's bodies are. */
function itemsOf(b: Bodies): string {
  const facts = { done: b.done, of: b.count ?? b.states.length, failed: b.failed };
  return t(b.failed > 0 ? "run.items.failed" : "run.items", facts);
}

function leftOf(node: NodeState, now: number): string {
  const word = t(`run.node.${node.status}`);
  const open = node.open.at(-1);
  switch (node.status) {
    case "queued":
    case "running":
    case "waiting": {
      const since = open === undefined ? 0 : now - open.since;
      return since < 1_000
        ? word
        : `${word} ${ticking(Math.floor(since / 1_000) * 1_000).replace(".0 ", " ")}`;
    }
    case "done":
      return node.took === undefined || node.took < 0.05 ? word : `${word} · ${took(node.took)}`;
    case "failed":
      return node.error === undefined ? word : `${word} · ${node.error.class}`;
    default:
      return word;
  }
}

function rightOf(node: NodeState): string {
  const open = node.open.at(-1);
  if (open?.phase === "running" && open.text !== undefined)
    return open.text.slice(-24).replace(/\s+/g, " ").trim();
  if (node.visits > 1) return t("run.visits", { n: node.visits });
  if (open?.phase === "backoff") return t("run.attempt.failed", { n: open.attempt });
  if (node.attempt > 1)
    return open === undefined
      ? t("run.attempts", { n: node.attempt })
      : t("run.attempt", { n: node.attempt });
  if (open?.worker !== undefined && open.worker !== "") return open.worker;
  return node.ports.filter((p) => p !== "success").join(", ");
}

/** How a screen reader calls a card. */
export function cardLabel(store: RunStore, key: string, node: NodeState, place: number): string {
  const card = store.picture.byKey.get(key);
  return t("run.card", {
    title: card?.title ?? key,
    kind: card?.kind ?? "",
    n: String(place),
    of: String(store.picture.cards.length),
    status: t(`run.node.${node.status}`),
  });
}

/** The progress of a run in one sentence. */
export function progress(store: RunStore, state: RunState): string {
  let done = 0;
  const failed: string[] = [];
  for (const [key, node] of state.nodes) {
    if (node.status === "done") done += 1;
    if (node.status === "failed") failed.push(store.title(key));
  }
  const steps = t("run.progress", { done, of: state.nodes.size });
  const ending = state.ended === undefined ? "" : ` ${t(`run.ended.${state.status}`)}`;
  if (failed.length === 0) return `${steps}${ending}`;
  return `${steps}${ending} ${t("run.progress.failed", { n: failed.length, names: failed.slice(0, 3).join(", ") })}`;
}
