// Pieces of SVG: icons of the sprite and the signs of a status.

import type { NodeStatus } from "./api.ts";

const SVG = "http://www.w3.org/2000/svg";

export function svg(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** An icon of the sprite. */
export function icon(sprite: string, name: string): SVGElement {
  const made = svg("svg", { class: "i", "aria-hidden": "true" });
  made.append(svg("use", { href: `${sprite}#${name}` }));
  return made;
}

export function setIcon(made: SVGElement, sprite: string, name: string): void {
  const use = made.firstElementChild;
  const href = `${sprite}#${name}`;
  // Written anew, even the same address builds the icon again.
  if (use?.getAttribute("href") !== href) use?.setAttribute("href", href);
}

// Color never stands alone: each status has a sign of its own.
export const signs: Readonly<Record<NodeStatus, string>> = {
  idle: "",
  queued: "M6 10h.01M10 10h.01M14 10h.01",
  running: "M10 1.5A8.5 8.5 0 0 1 18.5 10",
  waiting: "M10 5.5v4.7l3 1.8",
  done: "M6 10.4l2.8 2.8L14 7.6",
  failed: "M7 7l6 6M13 7l-6 6",
  canceled: "M7.5 7.5h5v5h-5z",
  skipped: "M6.5 10h7",
};

/** The disc with a sign in the corner of a card. */
export function glyph(): SVGElement {
  const made = svg("svg", { class: "k-glyph", viewBox: "0 0 20 20", "aria-hidden": "true" });
  made.append(
    svg("circle", { class: "disc", cx: "10", cy: "10", r: "9" }),
    svg("path", { class: "sign" }),
  );
  return made;
}
