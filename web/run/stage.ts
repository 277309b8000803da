// The canvas of a run: what the run view and the share page need of it.

import type { NodeStatus } from "../core/run-node.ts";

export type EdgeState = "idle" | "taken" | "active" | "skipped";

export type Foot = { readonly left: string; readonly right: string };

export type StageEvents = {
  select(id: string | undefined): void;
  /** The person panned: nothing is followed any more. */
  panned(): void;
};

/** Nodes and edges are named by their ids. */
export type Stage = {
  setStatus(id: string, status: NodeStatus, foot: Foot, label: string): void;
  setEdge(id: string, state: EdgeState): void;
  /** The pill on an edge; undefined: none. */
  setLabel(edge: string, text: string | undefined): void;
  drop(edge: string): void;
  select(id: string | undefined): void;
  fit(animate: boolean): void;
  zoom(factor: number): void;
  /** Brings these into view, as little as needed. */
  reveal(ids: readonly string[]): void;
  destroy(): void;
};
