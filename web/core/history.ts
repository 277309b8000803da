// Undo and redo. A step holds what to apply to take it back; applying that
// gives what brings it again, so others may have edited in between.

import type { Op } from "./graph.ts";
import { OpError } from "./ops.ts";
import type { Change } from "./touch.ts";

export type Step = {
  /** Says what was done: "Move 3 steps". */
  readonly label: string;
  readonly inverse: readonly Op[];
  /** Steps with the same word that follow within a second become one. */
  readonly merge?: string | undefined;
};

export type Apply = (ops: readonly Change[]) => readonly Op[];

export type Undone =
  | { readonly is: "done"; readonly label: string; readonly ops: readonly Op[] }
  /** Somebody else's edit has made it impossible; the step is forgotten. */
  | { readonly is: "lost"; readonly label: string; readonly message: string }
  | { readonly is: "nothing" };

const MOST = 500;
const MERGE_MS = 1000;

export class History {
  #back: Step[] = [];
  #forth: Step[] = [];
  #last = Number.NEGATIVE_INFINITY;

  get undoLabel(): string | undefined {
    return this.#back.at(-1)?.label;
  }

  get redoLabel(): string | undefined {
    return this.#forth.at(-1)?.label;
  }

  /** Remembers what was just applied; now is the time in milliseconds. */
  push(step: Step, now: number): void {
    const top = this.#back.at(-1);
    const joins = step.merge !== undefined && top?.merge === step.merge;
    if (top !== undefined && joins && now - this.#last < MERGE_MS) {
      this.#back[this.#back.length - 1] = { ...top, inverse: [...step.inverse, ...top.inverse] };
    } else {
      this.#back.push(step);
      if (this.#back.length > MOST) this.#back.shift();
    }
    this.#forth = [];
    this.#last = now;
  }

  undo(apply: Apply): Undone {
    return turn(this.#back, this.#forth, apply);
  }

  redo(apply: Apply): Undone {
    return turn(this.#forth, this.#back, apply);
  }

  clear(): void {
    this.#back = [];
    this.#forth = [];
    this.#last = Number.NEGATIVE_INFINITY;
  }
}

function turn(from: Step[], to: Step[], apply: Apply): Undone {
  const step = from.pop();
  if (step === undefined) return { is: "nothing" };
  try {
    to.push({ label: step.label, inverse: apply(step.inverse) });
    return { is: "done", label: step.label, ops: step.inverse };
  } catch (fault) {
    if (!(fault instanceof OpError)) throw fault;
    return { is: "lost", label: step.label, message: fault.message };
  }
}
