// The theme's colors as a canvas needs them. Read once for each theme.

const names = [
  "canvas",
  "dot",
  "surface",
  "line",
  "line-2",
  "ink",
  "ink-2",
  "ink-3",
  "edge",
  "brand",
  "brand-soft",
  "run",
  "run-soft",
  "ok",
  "fail",
  "wait",
  "wait-soft",
  "skip",
  "c-trigger",
  "c-http",
  "c-logic",
  "c-ai",
  "c-queue",
  "c-saga",
  "c-human",
  "c-data",
] as const;

export type ColorName = (typeof names)[number];

export type Palette = Readonly<Record<ColorName, string>> & {
  readonly taken: string;
  readonly ui: string;
  readonly forced: boolean;
  /** The person wants more contrast: lines are thicker. */
  readonly strong: boolean;
};

export function readPalette(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const forced = matchMedia("(forced-colors: active)").matches;
  const read = (name: ColorName): string => {
    if (forced) return system(name);
    return style.getPropertyValue(`--${name}`).trim() || "#888888";
  };
  const colors = Object.fromEntries(names.map((n) => [n, read(n)])) as Record<ColorName, string>;
  return {
    ...colors,
    taken: forced ? "CanvasText" : `color-mix(in oklab, ${colors.ok} 65%, ${colors.edge})`,
    ui: style.getPropertyValue("--font-ui").trim() || "sans-serif",
    forced,
    strong: forced || matchMedia("(prefers-contrast: more)").matches,
  };
}

function system(name: ColorName): string {
  if (["canvas", "surface", "dot", "brand-soft", "run-soft", "wait-soft"].includes(name)) {
    return "Canvas";
  }
  return name === "brand" || name === "run" ? "Highlight" : "CanvasText";
}
