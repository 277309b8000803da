// Pointers of other people. They lie over the world and keep their size. Most
// drawings have one person before them: this comes with the first other one.

import type { Stage } from "./stage.ts";
import { svg } from "./svg.ts";

export class Peers {
  readonly #stage: Stage;
  readonly #live = new Map<string, HTMLElement>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  sync(): void {
    const here = new Set<string>();
    for (const peer of this.#stage.peers) {
      if (peer.at === undefined) continue;
      here.add(peer.id);
      const mark = this.#live.get(peer.id) ?? this.#make(peer.id, peer.color);
      const name = mark.lastElementChild;
      if (name !== null && name.textContent !== peer.name) name.textContent = peer.name;
      const p = this.#stage.view.toScreen(peer.at);
      mark.style.transform = `translate(${p.x}px,${p.y}px)`;
    }
    for (const [id, mark] of this.#live) {
      if (here.has(id)) continue;
      mark.remove();
      this.#live.delete(id);
    }
  }

  #make(id: string, color: string): HTMLElement {
    const mark = document.createElement("div");
    mark.className = "k-peer";
    mark.setAttribute("aria-hidden", "true");
    const arrow = svg("svg", { viewBox: "0 0 18 20" });
    const path = { d: "M2 1.5l13.5 9.2-6.1 1.1-3.1 5.6z", stroke: "#fff", "stroke-width": "1.5" };
    arrow.append(svg("path", { ...path, fill: color }));
    const name = document.createElement("span");
    name.style.background = color;
    mark.append(arrow, name);
    this.#stage.root.append(mark);
    this.#live.set(id, mark);
    return mark;
  }
}
