// Where a drawing's cards, ports and edges are: the same measures as the
// server's pictures (Go package engine/picture).

import { below } from "./below.ts";
import type { Graph, GraphNode, Json, Note, Port, PortsOf, Spec } from "./graph.ts";
import { subtitleOf } from "./subtitle.ts";

export const HEAD = 56;
export const ROW = 28;
export const ROWS_PAD = 4;
export const FOOT = 28;
const WIDTH = 208;
const WIDE = 248;

export type Out = {
  readonly port: string;
  readonly title: string;
  readonly label: string;
  /** From the card's top. */
  readonly y: number;
  readonly failure: boolean;
};

export type Card = {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly sub: string;
  readonly kind: string;
  readonly tile: string;
  readonly icon: string;
  readonly off: boolean;
  readonly input: boolean;
  readonly outs: readonly Out[];
  readonly rows: boolean;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
};

export type Line = {
  readonly id: string;
  readonly from: Card;
  readonly to: Card;
  readonly path: string;
  readonly head: string;
  /** What people wrote on it. */
  readonly label: string;
};

export type Picture = {
  readonly cards: readonly Card[];
  readonly byKey: ReadonlyMap<string, Card>;
  readonly lines: readonly Line[];
  readonly notes: readonly Note[];
  readonly box: Box;
};

export type Box = {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
};

/** Lays out a drawing; every card has a foot for its facts. */
export function pictureOf(graph: Graph, specs: readonly Spec[]): Picture {
  const bySpec = new Map(specs.map((s) => [s.name, s]));
  const used = new Map<string, string[]>();
  for (const e of graph.edges) used.set(e.from, [...(used.get(e.from) ?? []), e.port]);
  const cards = graph.nodes.map((n) => cardOf(n, graph, bySpec.get(n.kind), used.get(n.id) ?? []));
  const byId = new Map(cards.map((c) => [c.id, c]));
  const lines: Line[] = [];
  for (const e of graph.edges) {
    const from = byId.get(e.from);
    const to = byId.get(e.to);
    const out = from?.outs.find((o) => o.port === e.port);
    if (from === undefined || to === undefined || out === undefined) continue;
    const bx = to.x - 1;
    const by = to.y + HEAD / 2;
    lines.push({
      id: e.id,
      from,
      to,
      path: route(from.x + from.w + 1, from.y + out.y, bx - 9, by),
      head: `M${bx - 13} ${by - 5}l8 5-8 5z`,
      label: e.label ?? "",
    });
  }
  const notes = Object.values(graph.layout.notes ?? {});
  return {
    cards,
    byKey: new Map(cards.map((c) => [c.key, c])),
    lines,
    notes,
    box: boxOf([...cards, ...notes]),
  };
}

const PILL = 26; // the height of a pill, with the air around it
const PORT = 8; // what a port needs beside its card

/** How wide a pill around a place may be, so that it covers no card. */
export function roomAt(x: number, y: number, cards: readonly Box[]): number {
  let half = Number.POSITIVE_INFINITY;
  for (const c of cards) {
    if (y + PILL / 2 <= c.y || y - PILL / 2 >= c.y + c.h) continue;
    half = Math.min(half, Math.max(c.x - x, x - c.x - c.w) - PORT);
  }
  return 2 * half;
}

/** The smallest box around some boxes. */
export function boxOf(list: readonly Box[]): Box {
  if (list.length === 0) return { x: 0, y: 0, w: 560, h: 240 };
  const x = Math.min(...list.map((b) => b.x));
  const y = Math.min(...list.map((b) => b.y));
  const right = Math.max(...list.map((b) => b.x + b.w));
  const bottom = Math.max(...list.map((b) => b.y + b.h));
  return { x, y, w: right - x, h: bottom - y };
}

function cardOf(n: GraphNode, graph: Graph, spec: Spec | undefined, used: readonly string[]): Card {
  const at = graph.layout.nodes?.[n.id];
  const ports = portsFor(n, spec, used);
  const rows = ports.length > 1;
  const outs = ports.map((p, i) => ({
    ...p,
    y: rows ? HEAD + ROWS_PAD + ROW * (i + 0.5) + 1 : HEAD / 2,
  }));
  return {
    id: n.id,
    key: n.key,
    title: at?.title || spec?.title || n.key,
    sub: subtitleOf(spec, n),
    kind: spec?.title ?? n.kind,
    tile: spec?.tile ?? "logic",
    icon: spec?.icon ?? "circle-help",
    off: n.disabled === true,
    input: spec?.no_input !== true,
    outs,
    rows,
    x: at?.x ?? 0,
    y: at?.y ?? 0,
    w: rows ? WIDE : WIDTH,
    h: HEAD + (rows ? ports.length * ROW + 2 * ROWS_PAD + 1 : 0) + FOOT,
  };
}

type Way = Omit<Out, "y">;

function portsFor(n: GraphNode, spec: Spec | undefined, used: readonly string[]): readonly Way[] {
  const list: Way[] = [...configured(n, spec)];
  for (const p of spec?.ports ?? []) {
    if (p.optional === true && !used.includes(p.name)) continue;
    list.push(fixed(p));
  }
  for (const port of used) {
    if (!list.some((o) => o.port === port))
      list.push({ port, title: port, label: "", failure: false });
  }
  return list;
}

function fixed(p: Port): Way {
  return { port: p.name, title: p.title || p.name, label: "", failure: p.failure === true };
}

function configured(n: GraphNode, spec: Spec | undefined): readonly Way[] {
  if (spec?.ports_of === undefined) return [];
  return [spec.ports_of, ...(spec.more_ports ?? [])].flatMap((from) => configuredOf(n, from));
}

function configuredOf(n: GraphNode, from: PortsOf): readonly Way[] {
  return below(n.config, from.field.split(".")).flatMap((fields) => {
    const item = fields as Json;
    const port = word(item, from.name);
    return port === ""
      ? []
      : [{ port, title: port, label: word(item, from.label), failure: false }];
  });
}

function word(item: Json, name: string): string {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "";
  const value = (item as Readonly<Record<string, Json>>)[name];
  return typeof value === "string" ? value : "";
}

/** The curve between two points; an edge that leads back runs through a lane. */
function route(ax: number, ay: number, bx: number, by: number): string {
  if (bx < ax - 24) {
    const gap = 84;
    const lane = Math.abs(by - ay) < gap ? Math.max(ay, by) + gap : (ay + by) / 2;
    return `M${ax} ${ay}C${ax + 56} ${ay} ${ax + 56} ${lane} ${ax - 8} ${lane}L${bx + 8} ${lane}C${bx - 64} ${lane} ${bx - 64} ${by} ${bx} ${by}`;
  }
  const pull = Math.max(36, Math.abs(bx - ax) * 0.5);
  return `M${ax} ${ay}C${ax + pull} ${ay} ${bx - pull} ${by} ${bx} ${by}`;
}
