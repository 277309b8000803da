// What a step got in an earlier run: its input is not an event of its own, it
// is what the steps before it put out.

import type { Edge, Graph } from "../../core/graph.ts";
import type { Brief } from "../../core/run-event.ts";
import { nodeOf, portsOf, readBriefs } from "../../core/run-event.ts";
import { positions } from "../../core/run-scope.ts";
import { at, call } from "../../run/net.ts";

export type PastRun = { readonly id: string; readonly created_at: string; readonly status: string };

/** Runs of the workflow, the newest first. */
export async function pastRuns(workflow: string): Promise<readonly PastRun[]> {
  const runs = at(await call("GET", `/api/runs?workflow=${workflow}&limit=20`), "runs");
  return Array.isArray(runs) ? (runs as PastRun[]) : [];
}

/** What the last visit of a step got; undefined: it had none, or it is too large. */
export async function pastInput(run: string, key: string): Promise<unknown> {
  const [detail, log] = await Promise.all([
    call("GET", `/api/runs/${run}`),
    call("GET", `/api/runs/${run}/events?limit=1000`),
  ]);
  const past: Past = {
    run,
    graph: at(detail, "graph") as Graph,
    edges: at(detail, "edges") as readonly string[],
    events: readBriefs(at(log, "events")),
  };
  return inputBefore(past, key, Number.POSITIVE_INFINITY, 0);
}

type Past = {
  readonly run: string;
  readonly graph: Graph;
  readonly edges: readonly string[];
  readonly events: readonly Brief[];
};

/** Steps that hand their input on are followed this far. */
const DEEP = 40;

async function inputBefore(past: Past, key: string, seq: number, depth: number): Promise<unknown> {
  const began = past.events.findLast(
    (e) => e.seq < seq && e.node === key && e.took !== undefined && e.type !== "TokensAbsorbed",
  );
  if (began === undefined || depth > DEEP) return undefined;
  const edges = positions(began.took).flatMap(
    (n) => past.graph.edges.find((e) => e.id === past.edges[n]) ?? [],
  );
  const values = await Promise.all(edges.map((e) => outputOn(past, e, began.seq, depth)));
  if (edges.length === 1) return values[0];
  const keys = edges.map((e) => keyOf(past, e));
  return Object.fromEntries(keys.map((k, i) => [k, values[i] ?? null]));
}

const keyOf = (past: Past, edge: Edge) =>
  past.graph.nodes.find((n) => n.id === edge.from)?.key ?? edge.from;

/** The value that a token on an edge carried. */
async function outputOn(past: Past, edge: Edge, seq: number, depth: number): Promise<unknown> {
  const key = keyOf(past, edge);
  const gave = past.events.findLast(
    (e) => e.seq < seq && nodeOf(e) === key && portsOf(e).includes(edge.port),
  );
  if (gave === undefined) return undefined;
  const data = at(await call("GET", `/api/runs/${past.run}/events/${gave.seq}`), "data");
  const value = at(data, "output") ?? (gave.type === "RunStarted" ? at(data, "input") : undefined);
  if (at(value, "$payload") !== undefined) return undefined;
  if (value !== undefined && value !== null) return value;
  return inputBefore(past, key, gave.seq + 1, depth + 1);
}
