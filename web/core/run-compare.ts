// Two runs side by side, as the server compares them, and what of it a drawing
// shows.

import type { Shape } from "./run-state.ts";

export type CompareSide = {
  readonly first: number;
  readonly last: number;
  readonly start_ms: number;
  readonly took_ms?: number | undefined;
  readonly outcome: "open" | "done" | "failed" | "canceled";
  readonly attempts: number;
  readonly ports: readonly string[];
  readonly error?: string | undefined;
  readonly size: number;
};

export type CompareRow = {
  readonly node: string;
  readonly place?: string | undefined;
  readonly visit: number;
  readonly a?: CompareSide | undefined;
  readonly b?: CompareSide | undefined;
  readonly same_way: boolean;
  readonly same_data: boolean;
};

export type Comparison<Run> = {
  readonly a: Run;
  readonly b: Run;
  readonly rows: readonly CompareRow[];
  readonly whole: boolean;
  /** Of a case: what the draft did on it; the second run is stored nowhere. */
  readonly outcome?:
    | {
        readonly case: { readonly id: string; readonly name: string };
        readonly verdict: "same" | "differs" | "stopped";
        readonly stopped?: { readonly node?: string; readonly why: string };
      }
    | undefined;
};

export function differs(r: CompareRow): boolean {
  return !r.same_way || !r.same_data;
}

/** How a step compares: the gravest of what its visits show. */
export type NodeSame = "same" | "data" | "way" | "a" | "b" | "none";

export function nodesOf(rows: readonly CompareRow[]): ReadonlyMap<string, NodeSame> {
  const sides = new Map<string, { a: boolean; b: boolean; way: boolean; data: boolean }>();
  for (const r of rows) {
    const s = sides.get(r.node) ?? { a: false, b: false, way: true, data: true };
    s.a ||= r.a !== undefined;
    s.b ||= r.b !== undefined;
    s.way &&= r.same_way;
    s.data &&= r.same_data;
    sides.set(r.node, s);
  }
  const out = new Map<string, NodeSame>();
  for (const [key, s] of sides) {
    if (!s.b) out.set(key, "a");
    else if (!s.a) out.set(key, "b");
    else if (!s.way) out.set(key, "way");
    else out.set(key, s.data ? "same" : "data");
  }
  return out;
}

/** Which of the two runs sent a token along each edge; absent: none did. */
export function edgesOf(
  shape: Shape,
  rows: readonly CompareRow[],
): ReadonlyMap<string, "a" | "b" | "both"> {
  const out = new Map<string, "a" | "b" | "both">();
  const pass = (key: string, side: CompareSide | undefined, name: "a" | "b") => {
    for (const edge of shape.out.get(key) ?? []) {
      if (side?.ports.includes(edge.port) !== true) continue;
      const before = out.get(edge.id);
      out.set(edge.id, before === undefined || before === name ? name : "both");
    }
  };
  for (const r of rows) {
    pass(r.node, r.a, "a");
    pass(r.node, r.b, "b");
  }
  return out;
}
