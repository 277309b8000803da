// Elements and texts of SVG, apart from what is drawn with them.

import type { CardView } from "./svg-card.ts";

/** Where titles of cards begin. */
export const TITLE_X = 54;

/** How wide they may be: behind them is the sign of the status. */
export const titleRoom = (card: { readonly w: number }): number => card.w - TITLE_X - 40;

const NS = "http://www.w3.org/2000/svg";

type Attributes = Readonly<Record<string, string | number>>;

export function element<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  parent?: Element,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  parent?.append(made);
  return made;
}

const measure = document.createElement("canvas").getContext("2d");

/** A text cut to its room. */
export function fit(words: string, font: string, room: number): string {
  if (measure === null) return words;
  measure.font = font;
  if (measure.measureText(words).width <= room) return words;
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure.measureText(`${words.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${words.slice(0, low).trimEnd()}…`;
}

export const FOOT_FONT = "400 11px Inter, sans-serif";

/** Writes the words of a card's foot, cut to their room. */
export function paintFoot({ card, foot, font, left, right }: CardView): void {
  const end = fit(foot.right, font, card.w * 0.5);
  const begin = fit(foot.left, font, card.w * (end === "" ? 0.9 : 0.48));
  if (left.textContent !== begin) left.textContent = begin;
  if (right.textContent !== end) right.textContent = end;
}
