// The labels of edges as they stand on the canvas. They are placed when they
// are painted, and again only when a card has moved.

import { CARD } from "../core/card.ts";
import { pointAt } from "../core/curve.ts";
import { LABEL, spotOn } from "../core/edge-label.ts";
import { type Box, contains, grow, type Point } from "../core/geometry.ts";
import { COMPENSATE } from "../core/graph.ts";
import type { Line } from "./scene.ts";
import type { Stage } from "./stage.ts";

/** Below this zoom labels would be unreadable. */
export const LABELS = 0.4;

export type Pill = Box & {
  readonly text: string;
  /** The whole text was too long. */
  readonly cut: boolean;
  /** Where the line is, when the label stands beside it. */
  readonly tie: Point | undefined;
};

type Kept = { readonly version: number; readonly text: string; readonly pill: Pill };

const kept = new WeakMap<Line, Kept>();

/** The label of a line, if it has one. */
export function pillOf(stage: Stage, line: Line, text = textOf(stage, line)): Pill | undefined {
  if (text === undefined) return undefined;
  const { version } = stage.scene;
  const had = kept.get(line);
  if (had?.version === version && had.text === text) return had.pill;
  const pill = placed(stage, line, text);
  kept.set(line, { version, text, pill });
  return pill;
}

/** The edge whose label is under a point. */
export function pillAt(stage: Stage, at: Point): string | undefined {
  if (stage.view.camera.z < LABELS) return undefined;
  return stage.scene.linesWithin(grow({ ...at, w: 0, h: 0 }, LABEL.widest / 2)).find((id) => {
    const line = stage.scene.lines.get(id);
    const pill = line === undefined ? undefined : pillOf(stage, line);
    return pill !== undefined && contains(pill, at);
  });
}

export function textOf(stage: Stage, { edge }: Line): string | undefined {
  return stage.labels.get(edge.id) ?? edge.label;
}

function placed(stage: Stage, line: Line, text: string): Pill {
  const wanted = Math.min(LABEL.widest, wide(stage, text) + 2 * LABEL.pad);
  const spot = spotOn(line.curve, wanted, inTheWay(stage, line), line.edge.port !== COMPENSATE);
  // Where there is no room at all, three dots tell that there is something to read.
  const { at, room, tie } = spot ?? { at: pointAt(line.curve, 0.5), room: 0, tie: undefined };
  const shown = room === 0 ? "…" : fit(stage, text, room - 2 * LABEL.pad);
  const w = wide(stage, shown) + 2 * LABEL.pad;
  const h = LABEL.height;
  return { x: at.x - w / 2, y: at.y - h / 2, w, h, text: shown, cut: shown !== text, tie };
}

// Cards, the heads of frames, and the labels of the lines before this one that
// leave the same step.
function inTheWay(stage: Stage, line: Line): Box[] {
  const { scene } = stage;
  const [first] = line.curve;
  if (first === undefined) return [];
  const x = Math.min(first[0], line.end.x);
  const y = Math.min(first[1], line.end.y);
  const area = { x, y, w: Math.abs(first[0] - line.end.x), h: Math.abs(first[1] - line.end.y) };
  const near = grow(area, LABEL.widest);
  const found: Box[] = [];
  for (const id of scene.cards.within(near)) found.push(scene.cards.get(id) ?? area);
  for (const id of scene.frames.within(near)) {
    found.push({ ...(scene.frames.get(id) ?? area), h: CARD.head });
  }
  for (const { id } of scene.drawing.out(line.edge.from)) {
    if (id === line.edge.id) break;
    const other = scene.lines.get(id);
    const pill = other === undefined ? undefined : pillOf(stage, other);
    if (pill !== undefined) found.push(pill);
  }
  return found;
}

function fit(stage: Stage, text: string, room: number): string {
  if (wide(stage, text) <= room) return text;
  const signs = [...text];
  do signs.pop();
  while (signs.length > 1 && wide(stage, `${signs.join("").trimEnd()}…`) > room);
  return `${signs.join("").trimEnd()}…`;
}

let ruler: CanvasRenderingContext2D | null | undefined;

function wide(stage: Stage, text: string): number {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (ruler === null) return text.length * 7;
  ruler.font = fontOf(stage);
  return ruler.measureText(text).width;
}

export function fontOf(stage: Stage): string {
  return `550 11px ${stage.palette.ui}`;
}
