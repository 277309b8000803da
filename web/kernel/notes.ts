// The notes in view, as elements. There are few of them: no pool.

import { grow } from "../core/geometry.ts";
import { el } from "./card.ts";
import { FAR, type Stage } from "./stage.ts";
import { t } from "./words.ts";

export class Notes {
  readonly #stage: Stage;
  readonly #world: HTMLElement;
  readonly #live = new Map<string, HTMLElement>();

  constructor(stage: Stage, world: HTMLElement) {
    this.#stage = stage;
    this.#world = world;
  }

  sync(): void {
    const { scene, view } = this.#stage;
    const near = view.camera.z >= FAR;
    const wanted = new Set(near ? scene.notes.within(grow(view.world, 40)) : []);
    for (const [id, note] of this.#live) {
      if (wanted.has(id)) continue;
      note.remove();
      this.#live.delete(id);
    }
    for (const id of wanted) this.#show(id);
  }

  #show(id: string): void {
    const { scene, selected } = this.#stage;
    const box = scene.notes.get(id);
    const note = scene.drawing.notes.get(id);
    if (box === undefined || note === undefined) return;
    let made = this.#live.get(id);
    if (made === undefined) {
      made = el("div", "k-note");
      made.setAttribute("role", "note");
      made.dataset["note"] = id;
      // Notes lie under the cards.
      this.#world.prepend(made);
      this.#live.set(id, made);
    }
    const text = note.text || t("kernel.note.empty");
    if (made.textContent !== text) made.textContent = text;
    made.classList.toggle("sel", selected.notes.has(id));
    made.style.transform = `translate(${box.x}px,${box.y}px)`;
    made.style.width = `${box.w}px`;
    made.style.height = `${box.h}px`;
  }
}
