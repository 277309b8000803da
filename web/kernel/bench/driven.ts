// What web/e2e/bench-kernel.mjs asks of a page that it measures; ours and the
// one with React Flow offer the same.

import type { Camera, NodeStatus } from "../api.ts";

export type Made = "large" | "grouped";

export type Driven = {
  /** Shows a drawing of so many steps by the camera NEAR. */
  start(made: Made, n: number): Promise<void>;
  look(camera: Camera): void;
  /** Zooms around the middle. */
  zoomBy(factor: number): void;
  /** Changes the status of so many steps, each time others. */
  tick(count: number): void;
  /** Takes every status back. */
  calm(): void;
};

export const NEAR: Camera = { x: 20, y: 20, z: 1 };

const statuses: readonly NodeStatus[] = ["queued", "running", "done", "failed", "waiting"];

/** The statuses of a storm in their order: the same for every page. */
export class Storm {
  #told = 0;

  next(ids: readonly string[]): { id: string; status: NodeStatus; left: string } {
    const n = ++this.#told;
    const status = statuses[n % statuses.length] ?? "done";
    return { id: ids[(n * 7) % ids.length] ?? "", status, left: `${n} ms` };
  }
}

/** Two frames later everything that was asked for is on the screen. */
export function painted(): Promise<void> {
  return new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  });
}
