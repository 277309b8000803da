// What makes a node or a text impossible, as on the server: such a change is
// refused before it is sent.

import type { GraphNode, JsonObject } from "./graph.ts";

export const LIMITS = {
  ops: 20_000,
  nodes: 10_000,
  edgesPerNode: 5,
  key: 40,
  title: 200,
  label: 60,
  notes: 20_000,
  depth: 128,
  nesting: 16,
} as const;

export const rule = { id: /^[A-Za-z0-9_-]{1,64}$/, key: /^[a-z][a-z0-9_]{0,39}$/ } as const;

/** Words with a meaning of their own in expressions. */
const reserved = new Set(
  (
    "input inputs nodes trigger run vars item index secrets true false null in as break const continue " +
    "else for function if import let loop package namespace return var void while"
  ).split(" "),
);

/** Why a change is refused, as a sentence. */
export class Fault extends Error {}

/** Whether a key may name a node. */
export function goodKey(key: string): boolean {
  return rule.key.test(key) && !reserved.has(key);
}

export function checkNode(node: GraphNode): void {
  if (!rule.id.test(node.id)) throw new Fault("A node has no usable id.");
  if (typeof node.key !== "string" || !goodKey(node.key)) {
    throw new Fault(
      "A key is a small letter, then small letters, digits or _, at most 40, and no reserved word.",
    );
  }
  if (typeof node.kind !== "string" || node.kind === "" || node.kind.length > 80) {
    throw new Fault("A node has no kind.");
  }
  if (node.config !== undefined) objectOf(node.config);
  const visits = node.max_visits ?? 0;
  if (visits < 0 || visits > 1_000_000) throw new Fault("The most visits are out of range.");
}

/** A text without control characters and marks that turn the writing. */
export function checkText(text: unknown, limit: number): void {
  if (text === undefined) return;
  if (typeof text !== "string") throw new Fault("This has to be a text.");
  if ([...text].length > limit) throw new Fault(`A text is longer than ${limit} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text)) {
    throw new Fault("A text holds a control character.");
  }
}

/** The value as an object; anything else is refused. */
export function objectOf<T extends object = JsonObject>(value: unknown): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("This has to be an object.");
  }
  return value as T;
}
