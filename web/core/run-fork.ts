// Where a run can be cut, to go on from there as another one.

import type { Brief } from "./run-event.ts";
import { endsRun } from "./run-event.ts";

/** Whether an event can stand between a step's failure and the end of the run. */
export function unwinds(e: Brief): boolean {
  switch (e.type) {
    case "NodeFailed":
      return e.handled !== true;
    case "BodyFailed":
    case "ItemFailed":
      return e.handled !== true;
    case "VisitCanceled":
    case "ItemsCanceled":
      return true;
    default:
      return false;
  }
}

/** Whether a run can go on from an event; the server has the last word. */
export function canFork(e: Brief | undefined): e is Brief {
  if (e === undefined || e.seq === 0 || endsRun(e)) return false;
  switch (e.type) {
    case "TaskFailed":
      return e.retry_at !== undefined;
    case "TokensCanceled":
    case "RoundOpened":
    case "CompensationStarted":
    case "VisitReleased":
      return false;
    default:
      return !unwinds(e);
  }
}
