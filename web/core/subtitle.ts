// The line below the title of a card.

import type { GraphNode, Spec } from "./graph.ts";

/** An address longer than this is shown by its end. */
const ADDRESS = 20;

/**
 * A value of the configuration as it reads on a card: names stand for
 * "{{ expressions }}", and a long address for its last part.
 */
function plain(text: string): string {
  const names = text.replace(/\{\{(.*?)\}\}/g, (_, expr: string) => {
    const found = expr.match(/[A-Za-z_]\w*\b(?!\s*\()/g);
    return `\u2039${found?.at(-1) ?? "\u2026"}\u203a`;
  });
  const bare = names.replace(/^=\s*/, "").replace(/^https?:\/\//, "");
  if (bare === names || bare.length <= ADDRESS || names.startsWith("=")) return bare;
  const last = /\/[^/?#]+(?=\/?(?:[?#]|$))/.exec(bare);
  return last === null ? bare : `\u2026${last[0]}`;
}

/**
 * The template "{method} {url}" filled with fields of the configuration; what
 * nothing fills is called by the step's key.
 */
export function subtitleOf(
  spec: Spec | undefined,
  node: Pick<GraphNode, "key" | "config">,
): string {
  let filled = false;
  const text = spec?.subtitle?.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = node.config?.[name] ?? "";
    filled ||= value !== "";
    const { enum: values, "x-enum-titles": titles } = spec.config.properties?.[name] ?? {};
    return typeof value === "string"
      ? (titles?.[values?.indexOf(value) ?? -1] ?? plain(value))
      : JSON.stringify(value);
  });
  return (filled && text?.trim()) || node.key;
}
