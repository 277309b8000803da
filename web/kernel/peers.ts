// Pointers of other people, and rings around what they have chosen. They lie
// over the world and keep their size. Most drawings have one person before
// them: this comes with the first other one.

import type { Peer } from "./api.ts";
import type { Stage } from "./stage.ts";
import { svg } from "./svg.ts";

/** A ring stands this far off its card. */
const OFF = 3;
/** Of one person; more would cover the drawing. */
const RINGS_MAX = 50;

export class Peers {
  readonly #stage: Stage;
  readonly #live = new Map<string, HTMLElement>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  sync(): void {
    const here = new Set<string>();
    for (const peer of this.#stage.peers) {
      this.#point(peer, here);
      for (const id of peer.selection?.slice(0, RINGS_MAX) ?? []) this.#ring(peer, id, here);
    }
    for (const [id, mark] of this.#live) {
      if (here.has(id)) continue;
      mark.remove();
      this.#live.delete(id);
    }
  }

  #point(peer: Peer, here: Set<string>): void {
    if (peer.at === undefined) return;
    const mark = this.#mark(peer, peer.id, "k-peer", here);
    const p = this.#stage.view.toScreen(peer.at);
    mark.style.transform = `translate(${p.x}px,${p.y}px)`;
  }

  #ring(peer: Peer, id: string, here: Set<string>): void {
    const { scene, view } = this.#stage;
    const box = scene.seen(id);
    if (box === undefined) return;
    const mark = this.#mark(peer, `${peer.id} ${id}`, "k-peer ring", here);
    mark.dataset["chosen"] = id;
    const p = view.toScreen(box);
    mark.style.transform = `translate(${p.x - OFF}px,${p.y - OFF}px)`;
    mark.style.width = `${box.w * view.camera.z + 2 * OFF}px`;
    mark.style.height = `${box.h * view.camera.z + 2 * OFF}px`;
  }

  #mark(peer: Peer, key: string, classes: string, here: Set<string>): HTMLElement {
    here.add(key);
    const mark = this.#live.get(key) ?? this.#make(key, peer.color, classes);
    const name = mark.lastElementChild;
    if (name !== null && name.textContent !== peer.name) name.textContent = peer.name;
    return mark;
  }

  #make(key: string, color: string, classes: string): HTMLElement {
    const mark = document.createElement("div");
    mark.className = classes;
    mark.setAttribute("aria-hidden", "true");
    mark.style.color = color;
    if (!classes.includes("ring")) {
      const arrow = svg("svg", { viewBox: "0 0 18 20" });
      const path = { d: "M2 1.5l13.5 9.2-6.1 1.1-3.1 5.6z", stroke: "#fff", "stroke-width": "1.5" };
      arrow.append(svg("path", { ...path, fill: color }));
      mark.append(arrow);
    }
    const name = document.createElement("span");
    name.style.background = color;
    mark.append(name);
    this.#stage.root.append(mark);
    this.#live.set(key, mark);
    return mark;
  }
}
