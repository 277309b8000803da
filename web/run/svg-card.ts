// One card of the drawing as SVG elements, in the look of the server's
// pictures (style/picture.css).

import type { Card } from "../core/run-card.ts";
import { FOOT, HEAD } from "../core/run-card.ts";
import type { NodeStatus } from "../core/run-node.ts";
import { iconAddress } from "./icon.tsx";
import type { Foot } from "./stage.ts";
import { toneOfNode } from "./status.tsx";
import { element, FOOT_FONT, fit, paintFoot, TITLE_X, titleRoom } from "./svg.ts";

export type CardView = {
  readonly card: Card;
  readonly root: SVGGElement;
  readonly title: SVGTextElement;
  readonly sign: SVGPathElement;
  readonly left: SVGTextElement;
  readonly right: SVGTextElement;
  status: NodeStatus;
  selected: boolean;
  foot: Foot;
  /** Of the foot, which is larger when it is seen from afar. */
  font: string;
};

export function cardView(card: Card, parent: Element): CardView {
  const root = element(
    "g",
    {
      class: "n",
      transform: `translate(${card.x} ${card.y})`,
      role: "group",
      "aria-label": card.title,
      tabindex: -1,
      "data-id": card.id,
    },
    parent,
  );
  const box = { width: card.w, height: card.h, rx: 12 };
  element(
    "rect",
    { class: "halo", x: -5, y: -5, width: card.w + 10, height: card.h + 10, rx: 17 },
    root,
  );
  element("rect", { class: "box", ...box }, root);
  const title = head(card, root);
  if (card.rows) rows(card, root);
  const sign = glyph(card, root);
  const y = card.h - FOOT;
  element("path", { class: "rule", d: `M0 ${y + 0.5}H${card.w}` }, root);
  const left = element("text", { class: "foot state", x: 12, y: y + 18.5 }, root);
  const right = element("text", { class: "foot right", x: card.w - 12, y: y + 18.5 }, root);
  if (card.input) port(root, 0, HEAD / 2, false);
  for (const o of card.outs) port(root, card.w, o.y, o.failure);
  const foot = { left: "", right: "" };
  return {
    card,
    root,
    title,
    sign,
    left,
    right,
    status: "idle",
    selected: false,
    foot,
    font: FOOT_FONT,
  };
}

function head(card: Card, root: Element): SVGTextElement {
  element("rect", { class: `pt t-${card.tile}`, x: 12, y: 12, width: 32, height: 32, rx: 8 }, root);
  const icon = element(
    "svg",
    { class: `pi t-${card.tile}`, x: 19.5, y: 19.5, width: 17, height: 17, viewBox: "0 0 24 24" },
    root,
  );
  element("use", { href: iconAddress(card.icon) }, icon);
  const room = titleRoom(card);
  text(root, "sub", TITLE_X, 41.5, card.sub, '450 11px "JetBrains Mono", monospace', room);
  return text(root, "title", TITLE_X, 25.5, card.title, "600 13px Inter, sans-serif", room);
}

function rows(card: Card, root: Element): void {
  element("path", { class: "rule", d: `M0 ${HEAD + 0.5}H${card.w}` }, root);
  for (const o of card.outs) {
    text(
      root,
      "port",
      card.w - 14,
      o.y + 4,
      o.title,
      "600 11.5px Inter, sans-serif",
      card.w * 0.45,
    );
    if (o.label !== "")
      text(
        root,
        "when",
        12,
        o.y + 4,
        o.label,
        '450 11px "JetBrains Mono", monospace',
        card.w * 0.48,
      );
  }
}

function glyph(card: Card, root: Element): SVGPathElement {
  const group = element("g", { class: "pg", transform: `translate(${card.w - 34} 18)` }, root);
  element("circle", { class: "disc", cx: 10, cy: 10, r: 9 }, group);
  return element("path", { class: "sign", d: "" }, group);
}

function port(root: Element, x: number, y: number, failure: boolean): void {
  element("circle", { class: failure ? "p bad" : "p", cx: x, cy: y, r: 5.5 }, root);
}

function text(
  root: Element,
  name: string,
  x: number,
  y: number,
  words: string,
  font: string,
  room: number,
): SVGTextElement {
  const made = element("text", { class: name, x, y }, root);
  made.textContent = fit(words, font, room);
  return made;
}

const SIGNS: Readonly<Record<NodeStatus, string>> = {
  idle: "",
  queued: "M6.2 10h.1M10 10h.1M13.8 10h.1",
  running: "M10 4.5A5.5 5.5 0 0 1 15.5 10",
  waiting: "M10 6v4.2l2.8 1.6",
  done: "M6 10.4l2.8 2.8L14 7.6",
  failed: "M7 7l6 6M13 7l-6 6",
  canceled: "M7.5 7.5h5v5h-5z",
  skipped: "M7 10h6",
  undoing: "M9 6.5L6 9.5l3 3M6 9.5h5.5a2.5 2.5 0 0 1 0 5H9",
  undone: "M9 6.5L6 9.5l3 3M6 9.5h5.5a2.5 2.5 0 0 1 0 5H9",
};

/** Shows a status: class, glyph, and the words of the foot. */
export function paintCard(view: CardView, status: NodeStatus, foot: Foot, label: string): void {
  if (view.status !== status) {
    view.status = status;
    view.sign.setAttribute("d", SIGNS[status]);
    setClass(view);
  }
  view.foot = foot;
  paintFoot(view);
  if (view.root.getAttribute("aria-label") !== label) view.root.setAttribute("aria-label", label);
}

export function setClass(view: CardView): void {
  const tone = toneOfNode(view.status);
  const classes = [
    "n",
    tone === "" ? "" : `st-${tone}`,
    view.card.off ? "off" : "",
    view.selected ? "sel" : "",
  ];
  view.root.setAttribute("class", classes.filter((c) => c !== "").join(" "));
}
