// Watches one run: reads what has happened over HTTP, then follows it over the
// websocket, comes back after a break with the last number it has, and fills
// holes over HTTP. It does no I/O of its own: everything comes in as a door.

import type { Brief } from "./run-event.ts";
import { endsRun, readBriefs } from "./run-event.ts";
import type { Added } from "./run-trace.ts";

/** Where the client stands. */
export type Link =
  | "loading"
  | "connecting"
  | "live"
  | "offline"
  /** The run has ended and all of it is here. */
  | "over"
  /** The right to watch has ended. */
  | "gone"
  /** The session has ended. */
  | "login";

/** An open connection. */
export type Wire = { send(text: string): void; close(): void };

export type WireEvents = {
  opened(): void;
  message(text: string): void;
  closed(code: number): void;
};

/** An answer that says no, with its HTTP status; 0: there was no answer. */
export class Denied extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The server answered ${status}.`);
    this.status = status;
  }
}

/** What the client needs of the world. */
export type Doors = {
  /** A ticket for one connection; throws Denied. */
  ticket(): Promise<string>;
  open(events: WireEvents): Wire;
  /** A page of events behind a number, over HTTP; absent for guests. */
  page?(after: number): Promise<readonly Brief[]>;
  /** Runs something later; the answer takes it back. */
  later(run: () => void, ms: number): () => void;
};

/** What the client tells. */
export type Ears = {
  /** Takes events and answers what of them was new and what is missing. */
  events(list: readonly Brief[]): Added;
  link(state: Link): void;
  /** Numbers that are missing and on their way; undefined: none any more. */
  gap(range: { readonly from: number; readonly to: number } | undefined): void;
};

const PAGE = 1_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const CLOSED_REVOKED = 4403;

export class RunClient {
  /** Empty: nothing is watched but the right to be here. */
  readonly #topic: string;
  readonly #stay: boolean;
  readonly #doors: Doors;
  readonly #ears: Ears;
  #link: Link = "loading";
  #wire: Wire | undefined;
  #last = 0;
  #over = false;
  #stopped = false;
  #wait = FIRST_WAIT_MS;
  #cancelWait: (() => void) | undefined;
  #filling = false;

  /**
   * Stay: the connection is kept when the run is over, so that the end of a
   * guest's right is seen at once. Without a run only that is watched.
   */
  constructor(run: string | undefined, doors: Doors, ears: Ears, stay = false) {
    this.#topic = run === undefined ? "" : `run:${run}`;
    this.#stay = stay;
    this.#doors = doors;
    this.#ears = ears;
  }

  /** Begins; it returns when the past is read or given up. */
  async start(): Promise<void> {
    await this.#past();
    if (this.#stopped || this.#finish()) return;
    await this.#connect();
  }

  /** Tries again at once, for example when the network is back. */
  wake(): void {
    if (this.#cancelWait === undefined || this.#stopped) return;
    this.#cancelWait();
    void this.#again();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelWait?.();
    this.#wire?.close();
    this.#wire = undefined;
  }

  #say(state: Link): void {
    const lasting = state === "over" || state === "gone" || state === "login";
    if (this.#link === state || (this.#over && !lasting)) return;
    this.#link = state;
    this.#ears.link(state);
  }

  #take(list: readonly Brief[]): Added {
    const added = this.#ears.events(list);
    for (const e of added.fresh) {
      if (e.seq > 0) this.#last = e.seq;
      this.#over ||= endsRun(e);
    }
    this.#ears.gap(added.hole);
    return added;
  }

  /** Ends the watch when the run's last event is here. */
  #finish(): boolean {
    if (!this.#over) return false;
    this.#say("over");
    if (this.#stay) return false;
    this.stop();
    return true;
  }

  /** Reads everything behind the last number. */
  async #past(): Promise<void> {
    const { page } = this.#doors;
    if (page === undefined || this.#topic === "") return;
    try {
      let list: readonly Brief[];
      do {
        list = await page(this.#last);
        if (this.#stopped) return;
        const before = this.#last;
        this.#take(list);
        if (this.#last === before) return;
      } while (list.length >= PAGE);
    } catch (fault) {
      this.#refused(fault);
    }
  }

  /** Whether it makes no sense to try again. */
  #refused(fault: unknown): boolean {
    const status = fault instanceof Denied ? fault.status : 0;
    const state = stateOf(status);
    if (state === undefined) return false;
    this.stop();
    this.#say(state);
    return true;
  }

  async #connect(): Promise<void> {
    this.#say(this.#last === 0 ? "loading" : "connecting");
    let ticket: string;
    try {
      ticket = await this.#doors.ticket();
    } catch (fault) {
      if (!this.#refused(fault)) this.#retry();
      return;
    }
    if (this.#stopped) return;
    const wire: Wire = this.#doors.open({
      opened: () => {
        wire.send(JSON.stringify({ t: "auth", ticket }));
        if (this.#topic !== "")
          wire.send(JSON.stringify({ t: "sub", topic: this.#topic, after: this.#last }));
      },
      message: (text) => {
        if (this.#wire === wire) this.#hear(text);
      },
      closed: (code) => {
        if (this.#wire === wire) this.#closed(code);
      },
    });
    this.#wire = wire;
  }

  #closed(code: number): void {
    this.#wire = undefined;
    if (this.#stopped) return;
    if (code === CLOSED_REVOKED) {
      this.stop();
      this.#say("gone");
      return;
    }
    this.#retry();
  }

  #retry(): void {
    if (this.#stopped) return;
    this.#say("offline");
    this.#cancelWait = this.#doors.later(() => void this.#again(), this.#wait);
    this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
  }

  async #again(): Promise<void> {
    this.#cancelWait = undefined;
    await this.#connect();
  }

  #hear(text: string): void {
    const frame = readFrame(text);
    switch (frame?.t) {
      case "hello":
        this.#wait = FIRST_WAIT_MS;
        this.#say("live");
        break;
      case "ev":
        if (frame.topic !== this.#topic) break;
        if (this.#take(readBriefs(frame.e)).hole !== undefined) void this.#fill();
        else this.#finish();
        break;
      case "gap":
        if (frame.topic === this.#topic) void this.#fill();
        break;
      case "gone":
        this.stop();
        this.#say("gone");
        break;
      default:
    }
  }

  /** Fills a hole over HTTP; a guest subscribes again from the last number. */
  async #fill(): Promise<void> {
    if (this.#filling) return;
    if (this.#doors.page === undefined) {
      this.#wire?.send(JSON.stringify({ t: "sub", topic: this.#topic, after: this.#last }));
      return;
    }
    this.#filling = true;
    await this.#past();
    this.#filling = false;
    if (!this.#stopped) this.#finish();
  }
}

function stateOf(status: number): Link | undefined {
  if (status === 401) return "login";
  if (status === 403 || status === 404 || status === 410) return "gone";
  return undefined;
}

type Frame = { readonly t?: unknown; readonly topic?: unknown; readonly e?: unknown };

function readFrame(text: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}
