// A counter-example as it would run: which tokens stand where after so many
// choices. Enough of the machine's rules for what a proof found; it decides
// nothing itself.

import type { Drawing } from "./drawing.ts";
import type { Edge } from "./graph.ts";
import { COMPENSATE } from "./graph.ts";

export type Choice = { readonly node: string; readonly port: string };

export type Moment = {
  /** Tokens that wait on edges, by edge id. */
  readonly tokens: ReadonlyMap<string, number>;
  /** Edges that a token has come by. */
  readonly taken: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
  /** Edges of the last choice. */
  readonly moved: readonly Edge[];
};

/** The state after the first so many choices. */
export function momentAfter(drawing: Drawing, choices: readonly Choice[], count: number): Moment {
  const tokens = new Map<string, number>();
  const taken = new Set<string>();
  const done = new Set<string>();
  let moved: readonly Edge[] = [];
  for (const { node, port } of choices.slice(0, count)) {
    for (const id of consumed(drawing, node, tokens)) add(tokens, id, -1);
    moved = drawing.outOf(node, port);
    done.add(node);
    for (const e of moved) {
      add(tokens, e.id, 1);
      taken.add(e.id);
    }
  }
  return { tokens, taken, done, moved };
}

/** The edges from which a start of the node takes a token each. */
function consumed(
  drawing: Drawing,
  node: string,
  tokens: ReadonlyMap<string, number>,
): readonly string[] {
  const full = [...drawing.into(node)]
    .filter((e) => e.port !== COMPENSATE && tokens.has(e.id))
    .map((e) => e.id);
  return drawing.nodes.get(node)?.join?.mode === "each" ? full.slice(0, 1) : full;
}

function add(tokens: Map<string, number>, id: string, by: number): void {
  const n = (tokens.get(id) ?? 0) + by;
  if (n > 0) tokens.set(id, n);
  else tokens.delete(id);
}
