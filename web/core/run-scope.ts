// Where tokens stand: the run's own scope and every open body of a container.
// A container counts its bodies.

import type { Edge } from "./graph.ts";
import type { Brief } from "./run-event.ts";

/** How one body of a container stands; a map has one for each item. */
export type BodyStatus = "pending" | "running" | "done" | "failed" | "canceled";

/** The bodies of a container's last visit. */
export type Bodies = {
  readonly scope: number;
  readonly visit: number;
  /** How many there will be, when that is known: the items of a map. */
  readonly count?: number | undefined;
  /** By index; of items that are runs of their own only the numbers are known. */
  readonly states: readonly BodyStatus[];
  readonly runs?: boolean | undefined;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
};

/** One place where tokens stand. */
export type Scope = {
  /** Key of the container; empty: the run itself. */
  readonly of: string;
  /** The scope and the visit of that container. */
  readonly within: number;
  readonly visit: number;
  readonly index: number;
  /** Tokens on edges, by edge id. */
  readonly tokens: ReadonlyMap<string, number>;
};

export const ROOT: Scope = { of: "", within: -1, visit: 1, index: 0, tokens: new Map() };

type Owned = { -readonly [K in keyof Scope]: Scope[K] } & { tokens: Map<string, number> };

/** The scopes and bodies of a state that is being folded; what it copies, it may change. */
export class ScopeDraft {
  readonly scopes: Map<number, Scope>;
  readonly bodies: Map<string, Bodies>;
  /** Scopes that undo what was done in them. */
  readonly undoing: Set<number>;
  readonly #owned = new Set<Scope>();
  readonly #ownedStates = new Set<readonly BodyStatus[]>();

  constructor(
    scopes: ReadonlyMap<number, Scope>,
    bodies: ReadonlyMap<string, Bodies>,
    undoing: ReadonlySet<number>,
  ) {
    this.scopes = new Map(scopes);
    this.bodies = new Map(bodies);
    this.undoing = new Set(undoing);
  }

  /** Takes and puts the tokens of an event. Ends: keys of the steps in which edges end. */
  move(
    e: Brief,
    taken: readonly Edge[],
    edges: readonly string[],
    ends: ReadonlyMap<string, string>,
  ): void {
    const scope = e.scope ?? 0;
    for (const position of positions(e.took)) {
      const id = edges[position];
      if (id === undefined) continue;
      if (e.type !== "TokensCanceled") this.#add(scope, id, -1);
      else this.#leave(scope, id, ends.get(id) === e.node ? 1 : 0);
    }
    if (e.type === "CompensationStarted") this.#turn(scope);
    for (const edge of taken) this.#add(scope, edge.id, 1);
  }

  #add(scope: number, edge: string, n: number): void {
    const was = this.scopes.get(scope);
    if (was === undefined) return;
    const own = this.#own(scope, was);
    const next = (own.tokens.get(edge) ?? 0) + n;
    if (next > 0) own.tokens.set(edge, next);
    else own.tokens.delete(edge);
  }

  /** Of the tokens on an edge only so many stay. */
  #leave(scope: number, edge: string, most: number): void {
    const over = (this.scopes.get(scope)?.tokens.get(edge) ?? 0) - most;
    if (over > 0) this.#add(scope, edge, -over);
  }

  /** A scope that undoes holds no tokens, and those within it close. */
  #turn(id: number): void {
    const was = this.scopes.get(id);
    if (was === undefined) return;
    this.#own(id, was).tokens.clear();
    this.undoing.add(id);
    for (const [inner, scope] of this.scopes) if (scope.within === id) this.#close(inner);
  }

  #own(id: number, scope: Scope): Owned {
    if (this.#owned.has(scope)) return scope as Owned;
    const own: Owned = { ...scope, tokens: new Map(scope.tokens) };
    this.#owned.add(own);
    this.scopes.set(id, own);
    return own;
  }

  /** What an event says of a container and its bodies. */
  contain(key: string, e: Brief): void {
    switch (e.type) {
      case "ContainerStarted":
        this.bodies.set(key, {
          scope: e.scope ?? 0,
          visit: e.visit ?? 1,
          count: e.count,
          runs: e.runs,
          states: [],
          done: 0,
          failed: 0,
          running: 0,
        });
        break;
      case "BodyStarted":
        this.#open(key, e);
        break;
      case "BodyCompleted":
        this.#end(key, e, "done");
        break;
      case "BodyFailed":
        this.#end(key, e, "failed");
        if (e.retry_at !== undefined) this.#anew(key, e);
        break;
      case "ItemsStarted":
        this.#count(key, e, 1, 0);
        break;
      case "ItemsEnded":
        this.#count(key, e, -1, 1);
        break;
      case "ItemFailed":
        this.#count(key, e, -1, 1);
        if (e.retry_at !== undefined) this.#anew(key, e);
        break;
      case "ItemsCanceled":
        this.#count(key, e, -1, 0);
        break;
      case "ContainerCompleted":
      case "NodeFailed":
      case "VisitCanceled":
        this.#closeAll(key, e);
        break;
      default:
    }
  }

  /** Items that are runs: they begin, and end well or not. */
  #count(key: string, e: Brief, running: number, ended: number): void {
    const was = this.bodies.get(key);
    if (was === undefined) return;
    const [n, failed] = [e.count ?? 0, e.failed ?? 0];
    this.bodies.set(key, {
      ...was,
      running: was.running + running * n,
      done: was.done + ended * (n - failed),
      failed: was.failed + failed,
    });
  }

  #open(key: string, e: Brief): void {
    if (e.opens === undefined) return;
    this.scopes.set(e.opens, {
      of: key,
      within: e.scope ?? 0,
      visit: e.visit ?? 1,
      index: e.index ?? 0,
      tokens: new Map(),
    });
    this.#mark(key, e, "running");
  }

  #end(key: string, e: Brief, how: BodyStatus): void {
    this.#mark(key, e, how);
    if (e.closes !== undefined) this.#close(e.closes);
  }

  /** The container will begin anew, with none of its bodies. */
  #anew(key: string, e: Brief): void {
    this.#closeAll(key, e);
    const was = this.bodies.get(key);
    if (was !== undefined) this.bodies.set(key, { ...was, states: [], done: 0, failed: 0 });
  }

  #mark(key: string, e: Brief, how: BodyStatus): void {
    const was = this.bodies.get(key);
    if (was === undefined || was.scope !== (e.scope ?? 0) || was.visit !== (e.visit ?? 1)) return;
    let states = was.states as BodyStatus[];
    if (!this.#ownedStates.has(states)) {
      states = [...states];
      this.#ownedStates.add(states);
    }
    const index = e.index ?? 0;
    while (states.length <= index) states.push("pending");
    const before = states[index] ?? "pending";
    states[index] = how;
    const step = (of: BodyStatus) => (how === of ? 1 : 0) - (before === of ? 1 : 0);
    this.bodies.set(key, {
      ...was,
      states,
      done: was.done + step("done"),
      failed: was.failed + step("failed"),
      running: was.running + step("running"),
    });
  }

  /** A container is over: with it whatever still was open in it. */
  #closeAll(key: string, e: Brief): void {
    const bodies = this.bodies.get(key);
    for (const [id, scope] of this.scopes) {
      if (scope.of === key && scope.within === (e.scope ?? 0) && scope.visit === (e.visit ?? 1))
        this.#close(id);
    }
    if (bodies === undefined || bodies.running === 0) return;
    const states = bodies.states.map((s) => (s === "running" ? "canceled" : s));
    this.#ownedStates.add(states);
    this.bodies.set(key, { ...bodies, states, running: 0 });
  }

  /** A scope ends with those inside it. */
  #close(id: number): void {
    this.scopes.delete(id);
    this.undoing.delete(id);
    for (const [inner, scope] of this.scopes) if (scope.within === id) this.#close(inner);
  }

  /** The run is over: nothing stands anywhere any more. */
  end(): void {
    for (const [key, b] of this.bodies) {
      if (b.running === 0) continue;
      const states = b.states.map((s) => (s === "running" ? "canceled" : s));
      this.bodies.set(key, { ...b, states, running: 0 });
    }
    this.scopes.clear();
    this.scopes.set(0, ROOT);
    this.undoing.clear();
  }
}

/** Positions of edges in ranges: "0-2,5" is 0, 1, 2, 5. */
export function positions(took: string | undefined): readonly number[] {
  if (took === undefined || took === "") return [];
  const list: number[] = [];
  for (const range of took.split(",")) {
    const [first, last] = range.split("-").map(Number);
    if (first === undefined || Number.isNaN(first)) continue;
    for (let n = first; n <= (last ?? first); n += 1) list.push(n);
  }
  return list;
}

/** How many tokens stand on each edge, in all scopes. */
export function standing(scopes: ReadonlyMap<number, Scope>): ReadonlyMap<string, number> {
  const only = scopes.size === 1 ? scopes.get(0) : undefined;
  if (only !== undefined) return only.tokens;
  const sum = new Map<string, number>();
  for (const scope of scopes.values()) {
    for (const [edge, n] of scope.tokens) sum.set(edge, (sum.get(edge) ?? 0) + n);
  }
  return sum;
}
