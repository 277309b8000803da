// Undo of one person's own gestures in a document that others change too.
// A property that somebody else wrote since is left as they wanted it.

import type { Change } from "./touch.ts";
import { conflicts, touched } from "./touch.ts";

type Entry = {
  readonly label: string;
  readonly merge: string | undefined;
  /** What the gesture did; it takes the gesture's properties. */
  ops: readonly Change[];
  /** What takes it back. */
  readonly inverse: readonly Change[];
  /** Properties of this entry that somebody else wrote since. */
  readonly foreign: Set<string>;
};

/** Something to apply now. */
export type Step = {
  readonly label: string;
  readonly ops: readonly Change[];
  /** Changes that were left out because somebody else changed the same. */
  readonly skipped: number;
};

/** Gestures that can be taken back; older ones are forgotten. */
const entriesMax = 2_000;

export class Undo {
  #past: Entry[] = [];
  #future: Entry[] = [];

  get undoLabel(): string | undefined {
    return this.#past.at(-1)?.label;
  }

  get redoLabel(): string | undefined {
    return this.#future.at(-1)?.label;
  }

  /** A gesture was made. Gestures with the same merge word become one. */
  did(label: string, ops: readonly Change[], inverse: readonly Change[], merge?: string): void {
    this.#future = [];
    const last = this.#past.at(-1);
    if (last && merge !== undefined && last.merge === merge) {
      last.ops = ops;
      return;
    }
    this.#past.push({ label, merge, ops, inverse, foreign: new Set() });
    if (this.#past.length > entriesMax) this.#past.shift();
  }

  /** Ends merging: the next gesture is one of its own. */
  seal(): void {
    const last = this.#past.pop();
    if (last) this.#past.push({ ...last, merge: undefined });
  }

  /** Somebody else changed the document. */
  theirs(ops: readonly Change[]): void {
    const keys = touched(ops);
    for (const entry of [...this.#past, ...this.#future]) {
      const own = touched(entry.inverse);
      for (const key of keys) if (conflicts(new Set([key]), own)) entry.foreign.add(key);
    }
  }

  /** The server refused a batch: it cannot be undone any more. */
  forget(ops: readonly Change[]): void {
    this.#past = this.#past.filter((entry) => entry.ops !== ops);
    this.#future = this.#future.filter((entry) => entry.ops !== ops);
  }

  /**
   * Takes the newest gesture back. `apply` makes the changes and returns what
   * undoes them; it is not called when nothing is left to change.
   */
  undo(apply: (step: Step) => readonly Change[] | undefined): Step | undefined {
    return move(this.#past, this.#future, apply);
  }

  redo(apply: (step: Step) => readonly Change[] | undefined): Step | undefined {
    return move(this.#future, this.#past, apply);
  }
}

function move(
  from: Entry[],
  to: Entry[],
  apply: (step: Step) => readonly Change[] | undefined,
): Step | undefined {
  const entry = from.pop();
  if (!entry) return undefined;
  const ops = entry.inverse.filter((op) => !conflicts(touched([op]), entry.foreign));
  const step: Step = { label: entry.label, ops, skipped: entry.inverse.length - ops.length };
  if (ops.length === 0) return step;
  const inverse = apply(step);
  if (inverse === undefined) return { ...step, ops: [], skipped: entry.inverse.length };
  to.push({ label: entry.label, merge: undefined, ops, inverse, foreign: new Set() });
  return step;
}
