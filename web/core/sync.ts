// Keeping one document in step with the server, which orders all changes.
//
// The document in hand is always "what the server confirmed, then my pending
// batches". A batch of somebody else is put below the pending ones: those are
// taken back, theirs is applied, mine are applied again. So the last writer by
// server order wins property by property, and everybody ends up with the same
// document. It does no I/O: methods return effects, and the caller reports
// what became of them.

import type { Change } from "./touch.ts";
import { conflicts, touched } from "./touch.ts";

/** The document that is kept in step. */
export type Replicated = {
  /** Applies all changes or none (then it throws); returns what undoes them. */
  apply(changes: readonly Change[]): readonly Change[];
};

/** One gesture of this user that the server has not confirmed yet. */
export type Pending = {
  readonly id: string;
  readonly ops: readonly Change[];
  /** Edits with the same word may be folded into one batch while unsent. */
  readonly merge?: string | undefined;
  /** Once it may have reached the server its content must stay the same. */
  readonly sent: boolean;
};

/** A batch as the server ordered it. */
export type Ordered = {
  readonly seq: number;
  readonly batch: string;
  readonly ops: readonly Change[];
  readonly by?: { readonly id: string; readonly name: string } | undefined;
};

export type Timer = "send" | "fetch";

export type Effect =
  | {
      readonly do: "send";
      readonly batch: string;
      readonly base: number;
      readonly ops: readonly Change[];
    }
  | { readonly do: "store"; readonly pending: readonly Pending[] }
  | { readonly do: "fetch"; readonly after: number }
  | { readonly do: "wake"; readonly timer: Timer; readonly ms: number }
  | {
      readonly do: "changed";
      readonly ops: readonly Change[];
      readonly by: Ordered["by"];
      readonly theirs: readonly Change[];
    }
  | {
      readonly do: "refused";
      readonly batch: string;
      readonly ops: readonly Change[];
      readonly message: string;
    }
  | { readonly do: "reload" };

export type SaveState =
  | { readonly is: "saved" }
  | { readonly is: "saving"; readonly edits: number }
  | { readonly is: "offline"; readonly edits: number };

type Held = {
  id: string;
  ops: readonly Change[];
  inverse: readonly Change[];
  merge: string | undefined;
  sent: boolean;
  applied: boolean;
};

/** How long an edit waits for company before it is sent. */
export const SEND_DELAY = 250;
/** How long a hole in the order may fill itself before it is fetched. */
export const GAP_DELAY = 300;
const BACKOFF_FIRST = 1_000;
const BACKOFF_MAX = 30_000;
/** Frames that wait for a hole before them; beyond it they are fetched again. */
const EARLY_MAX = 1_000;

export function backoff(failures: number): number {
  return Math.min(BACKOFF_MAX, BACKOFF_FIRST * 2 ** Math.min(failures - 1, 10));
}

export class Sync {
  #seq: number;
  readonly #document: Replicated;
  #pending: Held[] = [];
  #inFlight: string | undefined;
  #failures = 0;
  #fetching = false;
  #fetchFailures = 0;
  readonly #timers = new Set<Timer>();
  readonly #early = new Map<number, Ordered>();
  /** The highest seq that somebody told us about. */
  #seen: number;

  constructor(document: Replicated, seq: number) {
    this.#document = document;
    this.#seq = seq;
    this.#seen = seq;
  }

  get seq(): number {
    return this.#seq;
  }

  get pending(): readonly Pending[] {
    return this.#pending.map(({ id, ops, merge, sent }) => ({ id, ops, merge, sent }));
  }

  get save(): SaveState {
    const edits = this.#pending.length;
    if (edits === 0) return { is: "saved" };
    return this.#failures > 0 ? { is: "offline", edits } : { is: "saving", edits };
  }

  /** Puts batches back that an earlier page could not get confirmed. */
  restore(pending: readonly Pending[]): Effect[] {
    const ops: Change[] = [];
    for (const p of pending) {
      const held: Held = {
        id: p.id,
        ops: p.ops,
        inverse: [],
        merge: undefined,
        sent: p.sent,
        applied: false,
      };
      this.#reapply(held, ops);
      this.#pending.push(held);
    }
    if (pending.length === 0) return [];
    return [{ do: "changed", ops, by: undefined, theirs: [] }, ...this.#send()];
  }

  /** Applies an edit at once and queues it. Throws when the document refuses. */
  edit(
    id: string,
    ops: readonly Change[],
    merge?: string,
  ): { inverse: readonly Change[]; effects: Effect[] } {
    const inverse = this.#document.apply(ops);
    const last = this.#pending.at(-1);
    if (
      last &&
      merge !== undefined &&
      last.merge === merge &&
      !last.sent &&
      sameTargets(last.ops, ops)
    ) {
      last.ops = ops;
    } else {
      this.#pending.push({ id, ops, inverse, merge, sent: false, applied: true });
    }
    const effects: Effect[] = [this.#store()];
    if (this.#inFlight === undefined && this.#failures === 0)
      effects.push(...this.#wake("send", SEND_DELAY));
    return { inverse, effects };
  }

  /** The server took the batch as number seq. */
  acked(id: string, seq: number): Effect[] {
    if (this.#inFlight === id) this.#inFlight = undefined;
    this.#failures = 0;
    this.#seen = Math.max(this.#seen, seq);
    const held = this.#pending.find((p) => p.id === id);
    if (held && seq <= this.#seq) {
      // It was in the document already when the page loaded it.
      const ops = this.#without(held);
      return [{ do: "changed", ops, by: undefined, theirs: [] }, this.#store(), ...this.#send()];
    }
    const effects: Effect[] = [];
    if (held && seq === this.#seq + 1)
      effects.push(...this.#advance({ seq, batch: id, ops: held.ops }));
    else if (held) effects.push(...this.#gap());
    return [...effects, ...this.#send()];
  }

  /** The server will never take the batch: take it back and say why. */
  refused(id: string, message: string): Effect[] {
    if (this.#inFlight === id) this.#inFlight = undefined;
    this.#failures = 0;
    const held = this.#pending.find((p) => p.id === id);
    if (!held) return this.#send();
    const ops = this.#without(held);
    return [
      { do: "changed", ops, by: undefined, theirs: [] },
      { do: "refused", batch: id, ops: held.ops, message },
      this.#store(),
      ...this.#send(),
    ];
  }

  /** Nobody knows whether the batch arrived: the same one is sent again later. */
  failed(id: string, afterMS?: number): Effect[] {
    if (this.#inFlight === id) this.#inFlight = undefined;
    this.#failures += 1;
    return this.#wake("send", afterMS ?? backoff(this.#failures));
  }

  /** A frame of the websocket. */
  received(ordered: Ordered): Effect[] {
    this.#seen = Math.max(this.#seen, ordered.seq);
    if (ordered.seq <= this.#seq) return [];
    if (ordered.seq === this.#seq + 1) return [...this.#advance(ordered), ...this.#drain()];
    if (this.#early.size < EARLY_MAX) this.#early.set(ordered.seq, ordered);
    return this.#gap();
  }

  /** The answer of a fetch: everything after the seq that was asked for. */
  fetched(batches: readonly Ordered[]): Effect[] {
    this.#fetching = false;
    this.#fetchFailures = 0;
    const effects: Effect[] = [];
    for (const ordered of [...batches].sort((a, b) => a.seq - b.seq)) {
      this.#seen = Math.max(this.#seen, ordered.seq);
      if (ordered.seq === this.#seq + 1) effects.push(...this.#advance(ordered));
    }
    effects.push(...this.#drain());
    if (this.#seq < this.#seen) effects.push(...this.#wake("fetch", backoff(1)));
    return effects;
  }

  fetchFailed(): Effect[] {
    this.#fetching = false;
    this.#fetchFailures += 1;
    return this.#wake("fetch", backoff(this.#fetchFailures));
  }

  /** A timer that was asked for has run out. */
  woke(timer: Timer): Effect[] {
    this.#timers.delete(timer);
    if (timer === "send") return this.#send();
    if (this.#seq >= this.#seen || this.#fetching) return [];
    this.#fetching = true;
    return [{ do: "fetch", after: this.#seq }];
  }

  /** The line is back (or may be): try at once, and look for what was missed. */
  online(): Effect[] {
    const effects = this.#send();
    if (!this.#fetching) {
      this.#fetching = true;
      effects.push({ do: "fetch", after: this.#seq });
    }
    return effects;
  }

  #send(): Effect[] {
    const first = this.#pending[0];
    if (this.#inFlight !== undefined || !first) return [];
    this.#inFlight = first.id;
    const fresh = !first.sent;
    first.sent = true;
    const send: Effect = { do: "send", batch: first.id, base: this.#seq, ops: first.ops };
    return fresh ? [this.#store(), send] : [send];
  }

  #store(): Effect {
    return { do: "store", pending: this.pending };
  }

  #wake(timer: Timer, ms: number): Effect[] {
    if (this.#timers.has(timer)) return [];
    this.#timers.add(timer);
    return [{ do: "wake", timer, ms }];
  }

  #gap(): Effect[] {
    return this.#fetching ? [] : this.#wake("fetch", GAP_DELAY);
  }

  #drain(): Effect[] {
    const effects: Effect[] = [];
    for (const seq of this.#early.keys()) if (seq <= this.#seq) this.#early.delete(seq);
    for (let next = this.#early.get(this.#seq + 1); next; next = this.#early.get(this.#seq + 1)) {
      this.#early.delete(next.seq);
      effects.push(...this.#advance(next));
    }
    return effects;
  }

  /** Takes the next batch in order, mine or somebody else's. */
  #advance(ordered: Ordered): Effect[] {
    this.#seq = ordered.seq;
    const mine = this.#pending.find((p) => p.id === ordered.batch);
    if (mine) {
      const settled = this.#pending[0] === mine && mine.applied;
      const ops = settled ? this.#settle(mine) : this.#rebase(ordered.ops, mine);
      if (!ops) return [{ do: "reload" }];
      const effects: Effect[] =
        ops.length > 0 ? [{ do: "changed", ops, by: undefined, theirs: [] }] : [];
      return [...effects, this.#store()];
    }
    const ops = this.#rebase(ordered.ops, undefined);
    if (!ops) return [{ do: "reload" }];
    return [{ do: "changed", ops, by: ordered.by, theirs: ordered.ops }];
  }

  #settle(held: Held): Change[] {
    this.#pending.shift();
    if (this.#inFlight === held.id) this.#inFlight = undefined;
    return [];
  }

  /** Puts confirmed ops below the pending batches; undefined: it cannot be. */
  #rebase(ops: readonly Change[], drop: Held | undefined): Change[] | undefined {
    const changes: Change[] = [];
    const keys = touched(ops);
    if (!drop && !this.#pending.some((p) => !p.applied || conflicts(keys, touched(p.ops)))) {
      return this.#tryApply(ops, changes) ? changes : undefined;
    }
    this.#unapplyAll(changes);
    if (!this.#tryApply(ops, changes)) return undefined;
    if (drop) {
      this.#pending = this.#pending.filter((p) => p !== drop);
      if (this.#inFlight === drop.id) this.#inFlight = undefined;
    }
    for (const held of this.#pending) this.#reapply(held, changes);
    return changes;
  }

  #without(drop: Held): Change[] {
    const changes: Change[] = [];
    this.#unapplyAll(changes);
    this.#pending = this.#pending.filter((p) => p !== drop);
    for (const held of this.#pending) this.#reapply(held, changes);
    return changes;
  }

  #unapplyAll(changes: Change[]): void {
    for (const held of [...this.#pending].reverse()) {
      if (!held.applied) continue;
      this.#document.apply(held.inverse);
      changes.push(...held.inverse);
      held.applied = false;
    }
  }

  /** A batch that no longer fits stays queued: the server has the last word. */
  #reapply(held: Held, changes: Change[]): void {
    try {
      held.inverse = this.#document.apply(held.ops);
      held.applied = true;
      changes.push(...held.ops);
    } catch {
      held.inverse = [];
      held.applied = false;
    }
  }

  #tryApply(ops: readonly Change[], changes: Change[]): boolean {
    try {
      this.#document.apply(ops);
    } catch {
      return false;
    }
    changes.push(...ops);
    return true;
  }
}

/** Whether later values may simply replace the earlier ones. */
function sameTargets(a: readonly Change[], b: readonly Change[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((x, i) => {
    const y = b[i];
    if (!y || x.op !== y.op || x.id !== y.id || x.path !== y.path) return false;
    return x.op.endsWith(".set") || x.op === "node.move";
  });
}
