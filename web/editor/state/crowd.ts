// The other people on the same drawing.

import type { KernelApi, Peer } from "../../kernel/api.ts";
import type { DraftFrame } from "../net/socket.ts";
import type { Person } from "./signals.ts";

type Frame = Extract<DraftFrame, { readonly t: "presence" }>;

const colors = ["#55701a", "#9a2f6b", "#2c5c9e", "#8a5a0b", "#0d6876", "#64149a"];
const silence = 20_000; // ms after which somebody is taken to be gone

export class Crowd {
  readonly #kernel: KernelApi;
  readonly #me: string | undefined;
  readonly #tell: (people: readonly Person[]) => void;
  readonly #peers = new Map<
    string,
    { peer: Peer; field: string; timer: ReturnType<typeof setTimeout> }
  >();

  constructor(
    kernel: KernelApi,
    me: string | undefined,
    tell: (people: readonly Person[]) => void,
  ) {
    this.#kernel = kernel;
    this.#me = me;
    this.#tell = tell;
  }

  seen(frame: Frame): void {
    const id = frame.socket ?? frame.by.id;
    if (frame.by.id === this.#me && frame.socket === undefined) return;
    clearTimeout(this.#peers.get(id)?.timer);
    if (frame.gone) this.#peers.delete(id);
    else {
      const peer: Peer = {
        id,
        name: frame.by.name,
        color: colors[hueOf(frame.by.id)] ?? "",
        at: { x: frame.x, y: frame.y },
        selection: frame.selection,
      };
      const timer = setTimeout(() => this.#leave(id), silence);
      this.#peers.set(id, { peer, field: frame.field ?? "", timer });
    }
    this.#draw();
  }

  clear(): void {
    for (const { timer } of this.#peers.values()) clearTimeout(timer);
    this.#peers.clear();
    this.#draw();
  }

  #leave(id: string): void {
    this.#peers.delete(id);
    this.#draw();
  }

  #draw(): void {
    const peers = [...this.#peers.values()].map(({ peer }) => peer);
    this.#kernel.setPeers(peers);
    this.#tell(
      [...this.#peers.values()].map(({ peer: p, field }) => ({
        id: p.id,
        name: p.name,
        hue: colors.indexOf(p.color),
        selection: p.selection ?? [],
        field,
      })),
    );
  }
}

function hueOf(id: string): number {
  let sum = 0;
  for (const c of id) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) % 65_521;
  return sum % colors.length;
}
