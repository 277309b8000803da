// Tells what happens on the canvas to those who listen.

import type { EventOf, KernelEvent, KernelEventType } from "./api.ts";

type Listener = (event: KernelEvent) => void;

export class Emitter {
  readonly #listeners = new Map<KernelEventType, Set<Listener>>();

  on<T extends KernelEventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
    const heard: Listener = (event) => {
      if (is(event, type)) listener(event);
    };
    const list = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, list.add(heard));
    return () => list.delete(heard);
  }

  emit(event: KernelEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
  }

  clear(): void {
    this.#listeners.clear();
  }
}

function is<T extends KernelEventType>(event: KernelEvent, type: T): event is EventOf<T> {
  return event.type === type;
}
