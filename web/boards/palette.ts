// The colors of the tokens, as a canvas takes them.

const tokens = [
  "ink",
  "ink-3",
  "line",
  "line-2",
  "surface",
  "surface-3",
  "brand",
  "font-ui",
] as const;

export type Palette = Readonly<Record<(typeof tokens)[number], string>> & {
  /** The color of any token. */
  readonly of: (token: string) => string;
};

/** Reads the tokens as they are now. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (token: string) => style.getPropertyValue(`--${token}`).trim();
  const fixed = Object.fromEntries(tokens.map((name) => [name, of(name)]));
  return { ...(fixed as Record<(typeof tokens)[number], string>), of };
}

/** A color of six digits, thinned. */
export function thin(color: string, alpha: number): string {
  const [, r, g, b] = /^#(..)(..)(..)$/.exec(color) ?? [];
  if (r === undefined || g === undefined || b === undefined) return color;
  return `rgb(${Number.parseInt(r, 16)} ${Number.parseInt(g, 16)} ${Number.parseInt(b, 16)} / ${alpha})`;
}
