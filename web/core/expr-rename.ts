// Rewriting the mention of one step's key in the expressions of the others.

import type { Mode, Token } from "./expr-tokens.ts";
import { formOf, tokenize } from "./expr-tokens.ts";
import type { Schema } from "./form-schema.ts";
import { strings } from "./form-schema.ts";

/** The text with `nodes.<before>` and `inputs.<before>` renamed. */
export function renameKey(text: string, mode: Mode, before: string, after: string): string {
  if (mode === "constant") return text;
  if (mode === "value" && (formOf(text) === "constant" || formOf(text) === "literal")) return text;
  const tokens = tokenize(text, mode).filter((t) => t.kind !== "space");
  let result = "";
  let copied = 0;
  for (const [i, token] of tokens.entries()) {
    const hit = mention(text, tokens, i, before);
    if (!hit) continue;
    const quote = text[hit.from];
    const quoted = hit.kind === "string" && quote !== undefined;
    result += text.slice(copied, hit.from) + (quoted ? quote + after + quote : after);
    copied = hit.to;
    if (token.to > copied) copied = token.to;
  }
  return result + text.slice(copied);
}

/** The token that names the key when token i begins a mention of it. */
function mention(
  text: string,
  tokens: readonly Token[],
  i: number,
  key: string,
): Token | undefined {
  const [root, link, name] = [tokens[i], tokens[i + 1], tokens[i + 2]];
  if (!root || !link || !name || root.kind !== "root") return undefined;
  const word = text.slice(root.from, root.to);
  if (word !== "nodes" && word !== "inputs") return undefined;
  const joint = text.slice(link.from, link.to);
  const said = text.slice(name.from, name.to);
  if (joint === "." && (name.kind === "name" || name.kind === "call") && said === key) return name;
  if (joint === "[" && name.kind === "string" && said.slice(1, -1) === key) return name;
  return undefined;
}

/** Every string of a configuration that a rename changes, by JSON pointer. */
export function renamesIn(
  schema: Schema,
  config: unknown,
  before: string,
  after: string,
): { readonly pointer: string; readonly text: string }[] {
  const found: { pointer: string; text: string }[] = [];
  for (const { pointer, text, mode } of strings(schema, config)) {
    const renamed = renameKey(text, mode, before, after);
    if (renamed !== text) found.push({ pointer, text: renamed });
  }
  return found;
}
