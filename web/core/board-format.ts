// Numbers of boards in words: short, and exact enough for an axis or a table.

export type Unit = "count" | "rate" | "seconds" | "bytes" | "share" | "value";

/** A number with its unit. */
export function format(value: number, unit: Unit, lang: string): string {
  switch (unit) {
    case "seconds":
      return seconds(value, lang);
    case "bytes":
      return bytes(value, lang);
    case "share":
      return `${plain(value * 100, lang, 1)}\u202f%`;
    case "rate":
      return `${short(value, lang)}/s`;
    case "count":
    case "value":
      return short(value, lang);
    default: {
      const never: never = unit;
      return never;
    }
  }
}

function plain(value: number, lang: string, digits: number): string {
  return value.toLocaleString(lang, { maximumFractionDigits: digits });
}

/** Three figures, and thousands as k, M, G. */
function short(value: number, lang: string): string {
  const size = Math.abs(value);
  for (const [limit, sign] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    const by = limit === 1e4 ? 1e3 : limit;
    if (size >= limit) return plain(value / by, lang, size / by >= 100 ? 0 : 1) + sign;
  }
  return plain(value, lang, digits(size));
}

function digits(size: number): number {
  if (size >= 100 || Number.isInteger(size)) return 0;
  if (size >= 10) return 1;
  return size >= 1 ? 2 : 3;
}

function seconds(value: number, lang: string): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.001) return `${plain(value * 1e6, lang, 0)}\u202fµs`;
  if (size < 1) return `${plain(value * 1e3, lang, size < 0.01 ? 1 : 0)}\u202fms`;
  if (size < 120) return `${plain(value, lang, size < 10 ? 1 : 0)}\u202fs`;
  if (size < 7200) return `${plain(value / 60, lang, 0)}\u202fmin`;
  if (size < 172_800) return `${plain(value / 3600, lang, 1)}\u202fh`;
  return `${plain(value / 86_400, lang, 1)}\u202fd`;
}

function bytes(value: number, lang: string): string {
  const signs = ["B", "KB", "MB", "GB", "TB"];
  let size = value;
  let at = 0;
  while (Math.abs(size) >= 1000 && at < signs.length - 1) {
    size /= 1000;
    at++;
  }
  return `${plain(size, lang, at > 0 && Math.abs(size) < 10 ? 1 : 0)}\u202f${signs[at]}`;
}

/** A length of time in words of the API: 15m, 1h. In seconds; 0: none. */
export function lengthOf(last: string): number {
  const [, n, unit] = /^(\d+)([mh])$/.exec(last) ?? [];
  return n === undefined ? 0 : Number(n) * (unit === "h" ? 3600 : 60);
}
