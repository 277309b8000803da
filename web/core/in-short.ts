// A value in a few signs, for where there is no room for JSON.

/** The value in at most so many signs. */
export function inShort(value: unknown, most = 40): string {
  const text = short(value, 2);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function short(value: unknown, depth: number): string {
  if (typeof value === "string") return `"${value.slice(0, 80)}"`;
  if (typeof value !== "object" || value === null) return String(value);
  const list = Array.isArray(value);
  if (depth === 0) return list ? "[…]" : "{…}";
  const parts = list
    ? value.slice(0, 4).map((one) => short(one, depth - 1))
    : Object.entries(value)
        .slice(0, 4)
        .map(([name, one]) => `${name}: ${short(one, depth - 1)}`);
  const size = list ? value.length : Object.keys(value).length;
  if (size > 4) parts.push("…");
  if (list) return `[${parts.join(", ")}]`;
  return depth < 2 ? `{${parts.join(", ")}}` : parts.join(", ") || "{}";
}
