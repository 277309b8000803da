// The statuses of the cards, outside React Flow's store: there each change
// would go through the list of all nodes.

import type { NodeStatus } from "../../api.ts";

export type CardStatus = { readonly status: NodeStatus; readonly left: string };

const idle: CardStatus = { status: "idle", left: "" };
const statuses = new Map<string, CardStatus>();
const listeners = new Map<string, () => void>();

export function statusOf(id: string): CardStatus {
  return statuses.get(id) ?? idle;
}

export function setStatus(id: string, status: CardStatus): void {
  statuses.set(id, status);
  listeners.get(id)?.();
}

export function clearStatuses(): void {
  statuses.clear();
  for (const tell of listeners.values()) tell();
}

/** One card listens to each step. */
export function onStatus(id: string, told: () => void): () => void {
  listeners.set(id, told);
  return () => {
    if (listeners.get(id) === told) listeners.delete(id);
  };
}
