// What differs between two states of one run: what an event changed.

import type { NodeStatus } from "./run-node.ts";
import { standing } from "./run-scope.ts";
import type { RunState } from "./run-state.ts";

export type Difference = {
  /** Of the run as a whole; undefined: it stayed as it was. */
  readonly status?: { readonly before: string; readonly after: string } | undefined;
  readonly nodes: readonly {
    readonly key: string;
    readonly before: NodeStatus;
    readonly after: NodeStatus;
    /** Visits that began. */
    readonly visits: number;
  }[];
  /** Tokens that came to stand on an edge, or that were taken from it. */
  readonly tokens: readonly { readonly edge: string; readonly by: number }[];
  readonly bodies: readonly {
    readonly key: string;
    readonly done: number;
    readonly failed: number;
  }[];
};

export function differenceOf(before: RunState, after: RunState): Difference {
  return {
    status:
      before.status === after.status ? undefined : { before: before.status, after: after.status },
    nodes: nodes(before, after),
    tokens: tokens(standing(before.scopes), standing(after.scopes)),
    bodies: bodies(before, after),
  };
}

function nodes(before: RunState, after: RunState): Difference["nodes"] {
  const out: Difference["nodes"][number][] = [];
  for (const [key, node] of after.nodes) {
    const was = before.nodes.get(key);
    if (was === undefined || was === node) continue;
    const visits = node.visits - was.visits;
    if (was.status !== node.status || visits !== 0)
      out.push({ key, before: was.status, after: node.status, visits });
  }
  return out;
}

function tokens(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Difference["tokens"] {
  const out: Difference["tokens"][number][] = [];
  for (const edge of new Set([...before.keys(), ...after.keys()])) {
    const by = (after.get(edge) ?? 0) - (before.get(edge) ?? 0);
    if (by !== 0) out.push({ edge, by });
  }
  return out;
}

function bodies(before: RunState, after: RunState): Difference["bodies"] {
  const out: Difference["bodies"][number][] = [];
  for (const [key, b] of after.bodies) {
    const was = before.bodies.get(key);
    const done = b.done - (was?.done ?? 0);
    const failed = b.failed - (was?.failed ?? 0);
    if (done !== 0 || failed !== 0) out.push({ key, done, failed });
  }
  return out;
}
