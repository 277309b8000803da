// One websocket for the page: it subscribes to the draft's topic, keeps the
// line open, and says what arrives.

import type { Issue } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import type { Person } from "./api.ts";

export type DraftFrame =
  | {
      readonly t: "op";
      readonly seq: number;
      readonly batch: string;
      readonly by?: Person;
      readonly ops: readonly Change[];
      readonly issues?: readonly Issue[];
    }
  | {
      readonly t: "presence";
      readonly by: Person;
      readonly socket?: string;
      readonly x: number;
      readonly y: number;
      readonly selection: readonly string[];
      readonly field?: string;
      readonly gone?: boolean;
    }
  | { readonly t: "gap"; readonly from: number; readonly to: number }
  | { readonly t: "gone"; readonly why: string }
  | { readonly t: "hello" }
  /** A thread on the drawing is new, has changed or is gone. */
  | { readonly t: "thread"; readonly id: string }
  /** The review of the draft has changed. */
  | { readonly t: "review" }
  /** There is something new for this person. */
  | { readonly t: "nudge" }
  | { readonly t: "error"; readonly message: string };

/** Where this person is; field is where they type, "" is nowhere. */
export type Presence = {
  readonly x: number;
  readonly y: number;
  readonly selection: readonly string[];
  readonly field: string;
};

export type SocketListener = {
  frame(frame: DraftFrame): void;
  /** The line came up again: something may have been missed. */
  opened(): void;
  closed(): void;
};

const retryFirst = 1_000;
const retryMax = 20_000;
const presenceInterval = 80;

export class DraftSocket {
  readonly #topic: string;
  readonly #ticket: () => Promise<{ ticket: string }>;
  readonly #after: () => number;
  readonly #listener: SocketListener;
  #socket: WebSocket | undefined;
  #stopped = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #lastPresence = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    workflow: string,
    ticket: () => Promise<{ ticket: string }>,
    after: () => number,
    listener: SocketListener,
  ) {
    this.#topic = `draft:${workflow}`;
    this.#ticket = ticket;
    this.#after = after;
    this.#listener = listener;
  }

  async start(): Promise<void> {
    if (this.#stopped) return;
    try {
      const { ticket } = await this.#ticket();
      this.#open(ticket);
    } catch {
      this.#listener.closed();
      this.#again();
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  /**
   * Tries at once instead of waiting, when the machine is online again. A
   * short break may have left the socket as it was.
   */
  hurry(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#listener.opened();
    if (this.#socket || this.#stopped) return;
    clearTimeout(this.#retry);
    void this.start();
  }

  /** Tells the others; what comes too fast waits, and the last one is told. */
  presence(of: () => Presence): void {
    if (this.#waiting !== undefined) return;
    const since = performance.now() - this.#lastPresence;
    this.#waiting = setTimeout(
      () => {
        this.#waiting = undefined;
        this.#lastPresence = performance.now();
        if (this.#socket?.readyState !== WebSocket.OPEN) return;
        this.#send({ t: "presence", topic: this.#topic, ...of() });
      },
      Math.max(0, presenceInterval - since),
    );
  }

  #open(ticket: string): void {
    const url = new URL("/ws", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#send({ t: "auth", ticket });
      this.#send({ t: "sub", topic: this.#topic, after: this.#after() });
    });
    socket.addEventListener("message", (event) => this.#message(String(event.data)));
    socket.addEventListener("close", () => {
      this.#socket = undefined;
      this.#listener.closed();
      this.#again();
    });
  }

  #message(text: string): void {
    const frame = JSON.parse(text) as DraftFrame & { topic?: string };
    if (frame.topic !== undefined && frame.topic !== this.#topic) return;
    if (frame.t === "hello") {
      this.#failures = 0;
      this.#listener.opened();
      return;
    }
    this.#listener.frame(frame);
  }

  #again(): void {
    if (this.#stopped) return;
    this.#failures += 1;
    const ms = Math.min(retryMax, retryFirst * 2 ** (this.#failures - 1));
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), ms);
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }
}
