// The HTTP side of the editor: every request that it makes, with its types.

import type { Issue } from "../../core/graph.ts";
import { said } from "../../core/sentence.ts";
import type { Ordered } from "../../core/sync.ts";
import type { TaskType } from "../../core/task-type.ts";
import type { Change } from "../../core/touch.ts";

export type { Issue };

export type Person = { readonly id: string; readonly name: string };

export type Workflow = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly active_version: number;
  readonly draft_seq: number;
  readonly draft_dirty: number;
};

export type Camera = { readonly x: number; readonly y: number; readonly z: number };

export type DraftAnswer = {
  readonly workflow: Workflow;
  readonly seq: number;
  readonly graph: unknown;
  readonly issues?: readonly Issue[] | null;
  readonly camera?: Camera | null;
  /** The address of each webhook, by node id. */
  readonly hooks?: Readonly<Record<string, string>> | null;
};

export type Version = {
  readonly id: string;
  readonly number: number;
  readonly hash: string;
  readonly created_at: string;
  readonly note?: string;
  readonly by?: { readonly name: string };
};

/** What the cases of the workflow came to with the draft. */
export type CaseReport = {
  readonly ok: boolean;
  readonly guarded: boolean;
  readonly same: number;
  readonly cases: readonly {
    readonly case: { readonly id: string; readonly name: string };
    readonly verdict: "same" | "differs" | "stopped";
    readonly accepted: boolean;
    readonly stopped?: {
      readonly node?: string;
      readonly why: "not_recorded" | "waits" | "no_trigger" | "too_long" | "open";
    };
    readonly differences: readonly {
      /** The others say what is new on the way, and do not count. */
      readonly what: "status" | "result" | "answer" | "way" | "request" | "new" | "gone" | "data";
      readonly counts: boolean;
      readonly node?: string;
    }[];
    readonly compare: string;
  }[];
};

export type Run = { readonly id: string };

export type NodeSample = {
  readonly output?: unknown;
  readonly input?: unknown;
  readonly at?: string;
  readonly run?: string;
};

export type Samples = {
  readonly trigger?: unknown;
  readonly nodes: Readonly<Record<string, NodeSample>>;
  /** The last tokens that left each port, newest first. */
  readonly passed?: readonly Passage[] | undefined;
  /** How many tokens took each way in the newest run. */
  readonly last?: Traffic | undefined;
};

export type Traffic = {
  readonly run: string;
  readonly at: string;
  readonly ways: readonly { readonly node: string; readonly port: string; readonly n: number }[];
};

export type Passage = {
  readonly node: string;
  readonly port: string;
  readonly output: unknown;
  readonly at: string;
  readonly run: string;
};

/** A drawing that is kept under a name. */
export type Checkpoint = {
  readonly id: string;
  readonly name: string;
  readonly by?: string | undefined;
  readonly created_at: string;
};

export type Credential = {
  readonly id: string;
  readonly name: string;
  readonly kind?: string;
  readonly type?: string;
};

export type ExprAnswer = {
  readonly ok: boolean;
  readonly error?: {
    readonly message: string;
    readonly line: number;
    readonly column: number;
    readonly offset: number;
  };
  readonly value?: unknown;
  readonly value_error?: string;
};

export type ExprQuestion = {
  readonly workflow: string;
  readonly node?: string;
  readonly source: string;
  readonly mode: "expr" | "value" | "json";
};

export type FieldFault = {
  readonly location?: string;
  readonly message?: string;
  readonly expected?: string;
};

/** An answer that is not a success, with the server's own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly fields: readonly FieldFault[];
  readonly issues: readonly Issue[];
  readonly retryAfterMS: number | undefined;

  constructor(status: number, body: unknown, retryAfter: string | null) {
    super(sentence(body) ?? `HTTP ${status}`);
    this.status = status;
    this.fields = list<FieldFault>(body, "errors");
    this.issues = list<Issue>(body, "issues").map(inWords);
    const seconds = Number(retryAfter);
    this.retryAfterMS =
      retryAfter !== null && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  }

  /** Whether trying the same again can never work. */
  get final(): boolean {
    return (
      this.status >= 400 && this.status < 500 && ![401, 403, 408, 425, 429].includes(this.status)
    );
  }
}

export class Api {
  readonly workflow: string;

  constructor(workflow: string) {
    this.workflow = workflow;
  }

  draft(): Promise<DraftAnswer> {
    return call<DraftAnswer>("GET", `${this.#path}/draft`);
  }

  kinds(): Promise<{ kinds: readonly unknown[] }> {
    return call("GET", "/api/kinds");
  }

  workers(): Promise<{ types: readonly TaskType[] }> {
    return call("GET", "/api/workers");
  }

  sendOps(
    batch: string,
    base: number,
    ops: readonly Change[],
  ): Promise<{ seq: number; issues?: readonly Issue[] | null }> {
    return call("POST", `${this.#path}/ops`, { batch, base, ops });
  }

  opsAfter(seq: number): Promise<{ batches?: readonly Ordered[] | null }> {
    return call("GET", `${this.#path}/ops?after=${seq}`);
  }

  /** Makes another workflow of a graph. */
  create(name: string, graph: unknown): Promise<{ id: string }> {
    return call("POST", "/api/workflows", { name, graph });
  }

  versions(): Promise<{ versions: readonly Version[] }> {
    return call("GET", `${this.#path}/versions`);
  }

  checkpoints(): Promise<{ checkpoints: readonly Checkpoint[] }> {
    return call("GET", `${this.#path}/checkpoints`);
  }

  checkpoint(id: string): Promise<Checkpoint & { graph: unknown }> {
    return call("GET", `${this.#path}/checkpoints/${encodeURIComponent(id)}`);
  }

  keepCheckpoint(name: string): Promise<Checkpoint> {
    return call("POST", `${this.#path}/checkpoints`, { name });
  }

  dropCheckpoint(id: string): Promise<unknown> {
    return call("DELETE", `${this.#path}/checkpoints/${encodeURIComponent(id)}`);
  }

  version(id: string): Promise<{ version: Version; graph: unknown }> {
    return call("GET", `/api/versions/${encodeURIComponent(id)}`);
  }

  putCamera(camera: Camera): Promise<unknown> {
    return call("PUT", `${this.#path}/camera`, camera, undefined, true);
  }

  publish(seq: number, note: string, more?: object): Promise<{ version: Version }> {
    return call("POST", `${this.#path}/publish`, { seq, note, ...more });
  }

  /** Plays the draft on the cases of the workflow. */
  rehearse(): Promise<CaseReport> {
    return call("POST", `${this.#path}/rehearsal`, {});
  }

  rename(name: string): Promise<Workflow> {
    return call("PATCH", this.#path, { name });
  }

  run(input: unknown, trigger: string | undefined, test: unknown): Promise<{ run: Run }> {
    return call("POST", `${this.#path}/runs`, {
      input,
      version: "draft",
      test,
      ...(trigger ? { trigger } : {}),
    });
  }

  samples(): Promise<Samples> {
    return call("GET", `${this.#path}/samples`);
  }

  async checkExpr(question: ExprQuestion, signal: AbortSignal): Promise<ExprAnswer> {
    const answer = await call<ExprAnswer>("POST", "/api/expr/check", question, signal);
    const { error } = answer;
    return error ? { ...answer, error: { ...error, message: said(error.message) } } : answer;
  }

  credentials(): Promise<{ credentials?: readonly Credential[] | null }> {
    return call("GET", "/api/credentials");
  }

  ticket(): Promise<{ ticket: string }> {
    return call("POST", "/api/ticket", {});
  }

  get #path(): string {
    return `/api/workflows/${encodeURIComponent(this.workflow)}`;
  }
}

/** One request of the API; whatever is no success is thrown. */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  keepalive = false, // goes on when the page is left
): Promise<T> {
  const init: RequestInit = { method, keepalive, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    init.headers = { Accept: "application/json", "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  if (signal) init.signal = signal;
  const response = await fetch(path, init);
  const text = await response.text();
  const answer: unknown = text === "" ? {} : parse(text);
  if (!response.ok)
    throw new ApiError(response.status, answer, response.headers.get("Retry-After"));
  return answer as T;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The most telling sentence of a problem: a field's fault, else the detail. */
function sentence(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  for (const key of ["detail", "title"]) {
    const value: unknown = Reflect.get(body, key);
    if (typeof value === "string" && value !== "") return said(value);
  }
  return undefined;
}

/** A finding in the page's language. */
export function inWords(issue: Issue): Issue {
  return {
    ...issue,
    message: said(issue.message),
    ...(issue.fix ? { fix: { ...issue.fix, title: said(issue.fix.title) } } : {}),
  };
}

function list<T>(body: unknown, key: string): readonly T[] {
  if (typeof body !== "object" || body === null) return [];
  const value: unknown = Reflect.get(body, key);
  return Array.isArray(value) ? (value as T[]) : [];
}

/** The server's sentence, with the field's own fault when it names one. */
export function reasonOf(error: ApiError): string {
  const field = error.fields.find((f) => f.message && f.message !== error.message);
  return field?.message && !error.message.includes(field.message)
    ? `${error.message} (${field.message})`
    : error.message;
}
