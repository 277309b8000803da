// The canvas by the kernel, for large drawings. It is fetched when it is
// needed: most runs are small, and the page stays light without it.

import type { Graph, Spec } from "../core/graph.ts";
import type { NodeStatus } from "../core/run-node.ts";
import type { NodeStatus as KernelStatus } from "../kernel/api.ts";
import { Kernel } from "../kernel/kernel.ts";
import type { EdgeState, Foot, Stage, StageEvents } from "./stage.ts";

export class KernelStage implements Stage {
  readonly #kernel: Kernel;
  /** What the person chose is told; what the page chose is not told back. */
  #quiet = false;
  /** The person looks where they want to: nothing is fitted without being asked. */
  #moved = false;
  readonly #sizes: ResizeObserver;

  constructor(host: HTMLElement, graph: Graph, specs: readonly Spec[], events: StageEvents) {
    this.#kernel = new Kernel({ host, readOnly: true });
    this.#kernel.load(graph, specs);
    this.#kernel.on("selection", ({ selection }) => {
      if (!this.#quiet) events.select([...selection.nodes][0]);
    });
    this.#kernel.on("camera", ({ manual }) => {
      if (!manual) return;
      this.#moved = true;
      events.panned();
    });
    this.#kernel.fit();
    // A panel that opens beside it must not cover what failed.
    this.#sizes = new ResizeObserver(() => {
      if (!this.#moved && host.clientWidth > 0) this.#kernel.fit();
    });
    this.#sizes.observe(host);
  }

  setStatus(id: string, status: NodeStatus, foot: Foot): void {
    this.#kernel.setStatus(id, drawnAs(status), { ...foot, tone: "status" });
  }

  setEdge(id: string, state: EdgeState): void {
    this.#kernel.setEdge(id, state);
  }

  setLabel(edge: string, text: string | undefined): void {
    this.#kernel.setLabel(edge, text);
  }

  drop(edge: string): void {
    this.#kernel.drop(edge);
  }

  select(id: string | undefined): void {
    const { nodes } = this.#kernel.selection;
    if (id === undefined ? nodes.size === 0 : nodes.size === 1 && nodes.has(id)) return;
    this.#quiet = true;
    this.#kernel.select({ nodes: id === undefined ? [] : [id] });
    this.#quiet = false;
  }

  fit(animate: boolean): void {
    this.#moved = false;
    this.#kernel.fit(undefined, animate);
  }

  zoom(factor: number): void {
    this.#moved = true;
    this.#kernel.zoomBy(factor);
  }

  reveal(ids: readonly string[]): void {
    this.#kernel.reveal(ids, true);
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.#kernel.destroy();
  }
}

/** The kernel draws what undoes as work, and what is undone as canceled. */
function drawnAs(status: NodeStatus): KernelStatus {
  if (status === "undoing") return "running";
  return status === "undone" ? "canceled" : status;
}
