// Where a person looks, kept for them: at once in the browser, and a little
// later on the server, for the other machine.

import type { KernelApi } from "../../kernel/api.ts";
import type { Api, Camera } from "../net/api.ts";

const pause = 1_500; // ms of rest before the server is told

export class CameraKeeper {
  readonly #api: Api;
  readonly #kernel: KernelApi;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = "";

  constructor(api: Api, kernel: KernelApi) {
    this.#api = api;
    this.#kernel = kernel;
  }

  /** Puts the camera where this person left it, else shows everything. */
  restore(remote: Camera | undefined): void {
    const camera = this.#local() ?? remote;
    if (camera) this.#kernel.setCamera(camera);
    else if (this.#kernel.drawing.nodes.size > 0) this.#kernel.fit();
    this.#kernel.on("camera", (event) => this.#moved(event.camera));
    // Who never moved it sees everything the next time, in a window of any width.
    window.addEventListener("pagehide", () => {
      if (this.#timer !== undefined) this.#keep(this.#kernel.camera);
    });
  }

  #moved(camera: Camera): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(camera), pause);
    try {
      localStorage.setItem(this.#key, JSON.stringify({ ...camera, w: innerWidth }));
    } catch {
      // Full or forbidden storage: the server's copy is enough.
    }
  }

  #keep({ x, y, z }: Camera): void {
    const text = JSON.stringify({ x: Math.round(x), y: Math.round(y), z });
    if (text === this.#last) return;
    this.#last = text;
    this.#api.putCamera({ x: Math.round(x), y: Math.round(y), z }).catch(() => undefined);
  }

  #local(): Camera | undefined {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "null");
      if (typeof kept !== "object" || kept === null) return undefined;
      const [x, y, z, w] = ["x", "y", "z", "w"].map((name): unknown => Reflect.get(kept, name));
      if (typeof x !== "number" || typeof y !== "number" || typeof z !== "number" || z <= 0)
        return undefined;
      // In a narrower window the same part of the drawing, smaller.
      const k = typeof w === "number" ? Math.min(1, innerWidth / w) : 1;
      return { x: x * k, y: y * k, z: z * k };
    } catch {
      return undefined;
    }
  }

  get #key(): string {
    return `sb-camera:${this.#api.workflow}`;
  }
}
