// What is special about a test run: its clock, and where it is held.

import type { Arranged, Brief } from "./run-event.ts";

export type Held = {
  readonly node: string;
  readonly scope: number;
  readonly visit: number;
  /** The event that holds it: its values are the input of the visit. */
  readonly seq: number;
};

export type TestState = {
  readonly arranged: Arranged;
  /** Milliseconds of the run's clock before the real one. */
  readonly ahead: number;
  /** The clock is on its way there. */
  readonly until?: number | undefined;
  readonly held?: Held | undefined;
};

const NONE: TestState = { arranged: {}, ahead: 0 };

/** The controls of a test run after an event; undefined: it has none. */
export function afterTest(was: TestState | undefined, e: Brief): TestState | undefined {
  const test = was ?? NONE;
  switch (e.type) {
    case "TestArranged":
      return { ...test, arranged: e.test ?? {} };
    case "ClockMoved":
      return { ...test, ahead: e.ahead ?? 0, until: e.until };
    case "VisitHeld": {
      const held = { node: e.node ?? "", scope: e.scope ?? 0, visit: e.visit ?? 1, seq: e.seq };
      return { ...test, held };
    }
    case "VisitReleased":
      return released(test, e);
    default:
      return was;
  }
}

function released(test: TestState, e: Brief): TestState {
  const arranged =
    e.text === "gone" ? test.arranged : { ...test.arranged, step: e.text === "step" };
  const ahead = arranged.virtual ? (e.ahead ?? 0) : test.ahead;
  return { ...test, arranged, ahead, held: undefined };
}
