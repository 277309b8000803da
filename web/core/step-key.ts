// Keys and ids for new things.

import { goodKey, LIMITS } from "./check.ts";

/** A key made of a title that nobody has yet: "Send reply" gives send_reply, then send_reply_2. */
export function keyFor(title: string, taken: (key: string) => boolean): string {
  const base = slug(title);
  if (goodKey(base) && !taken(base)) return base;
  for (let n = 2; ; n++) {
    const tail = `_${n}`;
    const key = base.slice(0, LIMITS.key - tail.length) + tail;
    if (goodKey(key) && !taken(key)) return key;
  }
}

function slug(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replaceAll("ß", "ss")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, LIMITS.key)
    .replace(/_+$/, "");
  return plain === "" ? "step" : plain;
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** An id of 12 letters and digits from as many random numbers in 0…1. */
export function idFrom(random: () => number): string {
  return Array.from({ length: 12 }, () => alphabet[Math.floor(random() * 36)] ?? "0").join("");
}
