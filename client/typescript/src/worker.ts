// Does external tasks of Signalbox workflows. It needs nothing but fetch, which
// Node has since version 18. docs/workers.md describes the protocol.

/** A task type as people see it in the palette; input and output are JSON Schemas. */
export interface TaskType {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A name of lucide.dev. */
  readonly icon?: string;
  readonly input?: object;
  readonly output?: object;
}

/** One attempt of one node of one run. */
export interface Task<I = unknown> {
  readonly type: string;
  /** The location that the task asks for; empty: none. */
  readonly location: string;
  readonly input: I;
  /** Idempotency key: the same for every delivery and attempt. */
  readonly key: string;
  readonly workflow: string;
  readonly run: string;
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  /** Ends when the task is canceled, lost to another worker, or the worker stops. */
  readonly signal: AbortSignal;
  /** Shows text to whoever watches the run. It may be lost and never waits. */
  readonly progress: (text: string) => void;
}

export type Handler = (task: Task) => unknown;

/** An error with a class, which retry policies name. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What goes with it, and how long the other side asked to wait. */
  readonly details: unknown;
  readonly retryAfterSeconds: number;
  constructor(
    readonly errorClass: string,
    message: string,
    more: { readonly details?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds ?? 0;
  }
}

/** Why the signal of a task ended. */
export type End = "canceled" | "lost" | "stopped";

export interface Config {
  /** Of the server, for example https://flows.example.org */
  readonly url: string;
  /** Of the role worker. */
  readonly token: string;
  /** Unlike any other worker's. */
  readonly name: string;
  /** Where it is, for example shop-7: it also gets the tasks that ask for this location. */
  readonly location?: string;
  /** How long it may be silent over a task, 600 at most; the node's lease if that is longer. */
  readonly leaseSeconds?: number;
  /** Tasks at once; 4 unless it is said. */
  readonly slots?: number;
  /** How long tasks under way may take when the worker stops; 20,000. */
  readonly drainMs?: number;
  readonly log?: (message: string) => void;
  readonly fetch?: typeof fetch;
}

interface Told {
  readonly lease: string;
  readonly type: string;
  readonly location?: string;
  readonly input?: unknown;
  readonly key: string;
  readonly workflow: string;
  readonly run: string;
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  readonly lease_seconds: number;
  readonly heartbeat_seconds: number;
}

interface Held {
  readonly state: "held" | "canceled" | "over";
}

interface Outcome {
  readonly outcome?: "committed" | "refused" | "stale" | "pending";
  readonly message?: string;
}

/** An answer that says no. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
  get later(): boolean {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
  /** It is the lease, or the token, that the server does not know. */
  get unknown(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

const takeSeconds = 20;
const pauseMin = 100;
const pauseMax = 10_000;
const progressEvery = 100;
const progressMax = 32_768;
const resultTries = 60_000;
const messageMax = 2_000;

/** Takes tasks and does them. */
export class Worker {
  readonly #config: Required<Omit<Config, "fetch" | "log">>;
  readonly #fetch: typeof fetch;
  readonly #log: (message: string) => void;
  readonly #types = new Map<string, { readonly type: TaskType; readonly handler: Handler }>();
  readonly #running = new Map<string, AbortController>();

  constructor(config: Config) {
    this.#config = { slots: 4, drainMs: 20_000, location: "", leaseSeconds: 0, ...config, url: config.url.replace(/\/+$/, "") };
    this.#fetch = config.fetch ?? fetch;
    this.#log = config.log ?? (() => undefined);
  }

  /** Adds a task type. Call it before run. */
  handle(type: TaskType, handler: Handler): this {
    this.#types.set(type.name, { type, handler });
    return this;
  }

  /**
   * Works until the signal ends. Then it takes no more tasks, lets those under
   * way end, gives back the rest, and says goodbye. It throws when the server
   * refuses it for good.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { name: worker, location } = this.#config;
    const types = [...this.#types.values()].map((t) => t.type);
    if (types.length === 0) throw new Error("the worker does nothing: add a type with handle");
    const open = new AbortController();
    try {
      await this.#insist("/announce", { worker, location, types }, signal);
      this.#log(`working as ${worker}`);
      const listening = this.#listen(open.signal);
      const tasks = new Set<Promise<void>>();
      try {
        await this.#takeAll(signal, tasks);
      } finally {
        await this.#drain(tasks);
        open.abort();
        await listening;
        await this.#ask("/leave", { worker }, AbortSignal.timeout(5_000)).catch(() => undefined);
      }
    } catch (err) {
      if (!signal.aborted) throw err;
    }
  }

  async #takeAll(signal: AbortSignal, tasks: Set<Promise<void>>): Promise<void> {
    const types = [...this.#types.keys()];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake(), { once: true });
    while (!signal.aborted) {
      const free = this.#config.slots - tasks.size;
      if (free <= 0) {
        await new Promise<void>((done) => {
          wake = done;
        });
        continue;
      }
      const { name: worker, location, leaseSeconds: lease_seconds } = this.#config;
      const ask = { worker, location, types, max: free, wait_seconds: takeSeconds, lease_seconds };
      const got = (await this.#insist("/take", ask, signal)) as { readonly tasks: readonly Told[] };
      for (const told of got.tasks) {
        const task = this.#do(told).finally(() => {
          tasks.delete(task);
          wake();
        });
        tasks.add(task);
      }
    }
  }

  async #drain(tasks: Set<Promise<void>>): Promise<void> {
    const timer = setTimeout(() => {
      for (const running of this.#running.values()) running.abort("stopped" satisfies End);
    }, this.#config.drainMs);
    await Promise.allSettled([...tasks]);
    clearTimeout(timer);
  }

  /** Hears which tasks are canceled; heartbeats hear it later too. */
  async #listen(signal: AbortSignal): Promise<void> {
    const ask = { worker: this.#config.name, wait_seconds: takeSeconds };
    while (!signal.aborted) {
      try {
        const got = (await this.#insist("/notices", ask, signal)) as {
          readonly canceled: readonly string[];
        };
        for (const lease of got.canceled) this.#running.get(lease)?.abort("canceled" satisfies End);
      } catch {
        return;
      }
    }
  }

  async #do(told: Told): Promise<void> {
    const ends = new AbortController();
    this.#running.set(told.lease, ends);
    const pulse = new Pulse(told, ends, (body, signal) =>
      this.#ask(`/leases/${told.lease}/heartbeat`, body, signal),
    );
    try {
      let last: readonly [string, unknown];
      try {
        const output = await this.#call(told, ends.signal, (text) => pulse.add(text));
        last = ["complete", output ?? null];
      } catch (err) {
        last = ends.signal.reason === "stopped" ? ["release", {}] : ["fail", faultOf(err)];
      }
      await pulse.stop();
      const why = ends.signal.reason as unknown;
      if (why === "canceled" || why === "lost") {
        this.#log(`task of run ${told.run} is of no use any more: ${why}`);
        return;
      }
      await this.#finish(told, last[0], last[1]);
    } finally {
      this.#running.delete(told.lease);
    }
  }

  async #call(told: Told, signal: AbortSignal, progress: (text: string) => void): Promise<unknown> {
    const known = this.#types.get(told.type);
    if (!known) throw new Failure("invalid_input", `This worker does not do "${told.type}".`);
    const { type, key, workflow, run, node, visit, attempt, location = "", input = null } = told;
    return await known.handler({
      type, location, input, key, workflow, run, node, visit, attempt, signal, progress,
    });
  }

  /** Asks until the server has the result, also while the worker stops. */
  async #finish(told: Told, what: string, body: unknown): Promise<void> {
    const limit = AbortSignal.timeout(resultTries);
    try {
      let out: Outcome;
      do {
        out = (await this.#insist(`/leases/${told.lease}/${what}`, body, limit)) as Outcome;
      } while (out.outcome === "pending");
      if (out.outcome && out.outcome !== "committed")
        this.#log(`a result changed nothing: ${out.outcome} ${out.message ?? ""}`);
    } catch (err) {
      this.#log(`a result was not taken: ${String(err)}`);
      const unfit = err instanceof Refusal ? !err.later && !err.unknown : err instanceof TypeError && !isJSON(body);
      if (!unfit || body instanceof Instead) return;
      // Else the task would only be done once more, for the same.
      const large = err instanceof Refusal && err.status === 413;
      const why = `The server does not take what the worker brought: ${err instanceof Error ? err.message : ""}`;
      await this.#finish(told, "fail", new Instead(large ? "limit" : "invalid_output", why.slice(0, messageMax)));
    }
  }

  async #ask(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const res = await this.#fetch(`${this.#config.url}/api/worker${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#config.token}`,
        Accept: "application/json",
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
      redirect: "manual", // what redirects is not Signalbox, and the token is not for it
      signal,
    });
    const text = await res.text();
    if (res.ok) return JSON.parse(text || "{}") as unknown;
    const detail = detailOf(text, res.status);
    if (detail === undefined) throw new Error(`the answer ${res.status} is not Signalbox's`);
    throw new Refusal(res.status, detail);
  }

  /** Asks until there is an answer, or the signal ends. */
  async #insist(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    for (let wait = pauseMin; ; wait = Math.min(2 * wait, pauseMax)) {
      try {
        return await this.#ask(path, body, signal);
      } catch (err) {
        if (signal.aborted || (err instanceof Refusal && !err.later) || !isJSON(body)) throw err;
        this.#log(`the server does not answer ${path}: ${String(err)}`);
        await pause(wait, signal);
      }
    }
  }
}

/** Says that a task is at work, with the text that it shows. */
class Pulse {
  #text = "";
  #heard = Date.now();
  #soon: ReturnType<typeof setTimeout> | undefined;
  #beating: Promise<void> = Promise.resolve();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly told: Told,
    private readonly ends: AbortController,
    private readonly ask: (body: object, signal: AbortSignal) => Promise<unknown>,
  ) {
    this.#timer = setInterval(
      () => this.#beat(),
      Math.max(told.heartbeat_seconds * 1_000, progressEvery),
    );
  }

  add(text: string): void {
    if (this.#text.length + text.length > progressMax) return;
    this.#text += text;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#beat();
    }, progressEvery);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    if (this.#text) this.#beat();
    await this.#beating;
  }

  #beat(): void {
    this.#beating = this.#beating.then(() => this.#say());
  }

  async #say(): Promise<void> {
    const began = Date.now();
    const progress = storable(this.#text);
    this.#text = "";
    try {
      const held = (await this.ask(progress ? { progress } : {}, AbortSignal.timeout(pauseMax))) as Held;
      this.#heard = began;
      if (held.state === "canceled") this.ends.abort("canceled" satisfies End);
      if (held.state === "over") this.ends.abort("lost" satisfies End);
    } catch (err) {
      const late = Date.now() - this.#heard > this.told.lease_seconds * 1_000;
      if (late || (err instanceof Refusal && err.unknown)) this.ends.abort("lost" satisfies End);
    }
  }
}

function faultOf(err: unknown): object {
  if (!(err instanceof Failure))
    return { message: sentence(err instanceof Error ? err.message : String(err)) };
  return {
    class: err.errorClass,
    message: sentence(err.message),
    retry_after_seconds: err.retryAfterSeconds,
    ...(err.details === undefined ? {} : { details: err.details }),
  };
}

/** A failure in the place of a word that nobody takes. */
class Instead {
  constructor(
    readonly error: string,
    readonly why: string,
  ) {}
  toJSON(): object {
    return { class: this.error, message: sentence(this.why) };
  }
}

function isJSON(body: unknown): boolean {
  try {
    return JSON.stringify(body) !== undefined;
  } catch {
    return false;
  }
}

/** Text without what no JSON of the server may hold: a NUL, half a character. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").replace(/\p{Surrogate}/gu, "\uFFFD");
}

function sentence(text: string): string {
  return storable(text.slice(0, messageMax));
}

/** The server's sentence; undefined: somebody else has answered. */
function detailOf(text: string, status: number): string | undefined {
  try {
    const p = JSON.parse(text) as { readonly detail?: unknown; readonly status?: unknown };
    return typeof p.detail === "string" && p.status === status ? p.detail : undefined;
  } catch {
    return undefined;
  }
}

/** Waits, or less when the signal ends. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      done();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
    if (signal.aborted) over();
  });
}
