// Calls of the HTTP API from the pages.

import { said } from "../core/sentence.ts";
import { t } from "../core/strings.ts";

/** An answer that says no, in words for a person. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (!answer.ok) throw new Refusal(answer.status, reason(value));
  return value;
}

/** The sentence of a refusal, with the first place that it names. */
function reason(problem: unknown): string {
  const detail = at(problem, "detail");
  const errors = at(problem, "errors");
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const expected = at(first, "expected") ?? at(first, "message");
  const sentence = typeof detail === "string" && detail !== "" ? said(detail) : t("shell.failed");
  return typeof expected === "string" && expected !== ""
    ? `${sentence} (${said(expected)})`
    : sentence;
}

/** A member of a value that came from outside. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

export function message(fault: unknown): string {
  return fault instanceof Refusal ? fault.message : t("shell.failed");
}
