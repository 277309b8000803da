// Moves the camera on behalf of the owner and of keys: to all, to some, and
// after the steps that are followed.

import { type Box, middle, type Point, union } from "../core/geometry.ts";
import type { Camera } from "./api.ts";
import type { Stage } from "./stage.ts";

export class Sight {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Manual: by the person's hand, which ends following. */
  go(camera: Camera, animate: boolean, manual: boolean): void {
    const stage = this.#stage;
    if (manual && stage.following) {
      stage.following = false;
      stage.emit({ type: "followStopped" });
    }
    stage.view.go(camera, animate && !stage.still);
    stage.emit({ type: "camera", camera: stage.view.camera, manual });
    stage.request();
  }

  fit(ids: Iterable<string> | undefined, animate: boolean): void {
    const { scene, view } = this.#stage;
    const { nodes, notes } = scene.drawing;
    const box = this.#around(ids ?? [...nodes.keys(), ...notes.keys()]);
    if (box !== undefined) this.go(view.fitting(box), animate, false);
  }

  reveal(ids: Iterable<string>, animate: boolean): void {
    const { view } = this.#stage;
    const box = this.#around(ids);
    if (box === undefined) return;
    const to = view.revealing(box);
    if (to.x !== view.camera.x || to.y !== view.camera.y) this.go(to, animate, false);
  }

  zoomBy(factor: number, at: Point | undefined): void {
    const { view } = this.#stage;
    const to = view.zoomed(view.goal.z * factor, at ?? middle(view.open));
    this.go(to, at === undefined, true);
  }

  zoomTo(z: number, animate: boolean): void {
    const { view } = this.#stage;
    this.go(view.zoomed(z, middle(view.open)), animate, true);
  }

  follow(ids: Iterable<string> | undefined): void {
    const { view } = this.#stage;
    this.#stage.following = ids !== undefined;
    const box = ids === undefined ? undefined : this.#around(ids);
    if (box === undefined) return;
    const { z } = view.camera;
    const fits = box.w * z <= view.open.w && box.h * z <= view.open.h;
    this.go(fits ? view.revealing(box) : view.fitting(box), true, false);
  }

  #around(ids: Iterable<string>): Box | undefined {
    const { scene } = this.#stage;
    return union([...ids].flatMap((id) => scene.seen(id) ?? scene.notes.get(id) ?? []));
  }
}
