// Cards seen from afar: titles large enough to be read, on two lines, and
// nothing beside them that is too small to be read.

import { element, FOOT_FONT, fit, paintFoot, TITLE_X, titleRoom } from "./svg.ts";
import type { CardView } from "./svg-card.ts";

/** Of titles when near, from farther, and from afar: as in stage.css. */
const SIZES = [13, 16, 20];
const LEADING = 1.16;
const MIDDLE = 28; // of a card's head

/** How far away it is seen: 0, 1 or 2. */
export function seenFrom(distance: number, cards: Iterable<CardView>): void {
  const size = SIZES[distance] ?? 13;
  for (const view of cards) {
    const { card, title } = view;
    const lines = inLines(card.title, `600 ${size}px Inter, sans-serif`, distance, titleRoom(card));
    title.replaceChildren();
    for (const [i, line] of lines.entries()) {
      const y = MIDDLE + size * 0.36 + (i - (lines.length - 1) / 2) * size * LEADING;
      element("tspan", { x: TITLE_X, y: distance === 0 ? 25.5 : y }, title).textContent = line;
    }
    view.font = distance === 2 ? "400 15px Inter, sans-serif" : FOOT_FONT;
    paintFoot(view);
  }
}

function inLines(words: string, font: string, distance: number, room: number): readonly string[] {
  const whole = fit(words, font, room);
  if (distance === 0 || whole === words) return [whole];
  // Chinese breaks between any two signs.
  const pieces = words.split(/(?<=\s)|(?=[\u2e80-\uffef])/);
  let first = "";
  while (pieces.length > 1) {
    const next = (first + pieces[0]).trimEnd();
    if (fit(next, font, room) !== next) break;
    first += pieces.shift() ?? "";
  }
  return first === "" ? [whole] : [first.trimEnd(), fit(pieces.join(""), font, room)];
}
