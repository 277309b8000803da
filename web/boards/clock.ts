// Moments in words.

/** A moment of an axis or a table, as fine as the step needs. */
export function clock(at: number, step: number, span: number, lang: string): string {
  const day = { month: "short", day: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Date(at * 1000).toLocaleString(lang, {
    ...(span > 86_400 ? day : {}),
    ...time,
    ...(step < 60 ? ({ second: "2-digit" } as const) : {}),
  });
}
