// What a run waits for that people decide: open questions, and compensations
// that failed.

import type { Brief } from "./run-event.ts";

export type Ask = {
  /** The event that asked. */
  readonly seq: number;
  /** What is asked: a person, a callback, or what to do about a compensation. */
  readonly kind: "human" | "callback" | "attention";
  readonly node: string;
  readonly scope: number;
  readonly visit: number;
};

/** The open questions after some events, the oldest first. */
export function openAsks(events: readonly Brief[]): readonly Ask[] {
  const open = new Map<string, Ask>();
  for (const e of events) {
    const node = e.node ?? "";
    const place = `${e.scope ?? 0} ${node} ${e.visit ?? 0}`;
    const ask = { seq: e.seq, node, scope: e.scope ?? 0, visit: e.visit ?? 0 };
    switch (e.type) {
      case "WaitStarted":
        if (e.for === "human" || e.for === "callback") open.set(place, { ...ask, kind: e.for });
        break;
      case "AttentionNeeded":
        open.set(place, { ...ask, kind: "attention" });
        break;
      case "WaitCompleted":
      case "VisitCanceled":
      case "AttentionResolved":
        open.delete(place);
        break;
      case "CompensationStarted":
        for (const [key, a] of open) if (a.scope === ask.scope) open.delete(key);
        break;
      case "RunSucceeded":
      case "RunFailed":
      case "RunCanceled":
      case "RunCompensated":
        open.clear();
        break;
    }
  }
  return [...open.values()];
}
