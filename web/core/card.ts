// What a card shows and how large it is. The measures are the same as in the
// pictures that the server draws.

import { below } from "./below.ts";
import type { Point } from "./geometry.ts";
import type { GraphNode, JsonObject, NodeLayout, Port, PortsOf, Spec } from "./graph.ts";
import { COMPENSATE } from "./graph.ts";
import { subtitleOf } from "./subtitle.ts";

export const CARD = {
  width: 208,
  wide: 248, // a card that lists its ports
  head: 56,
  row: 28,
  pad: 4, // above and below the rows
  foot: 28,
  middle: 28, // of the head: where its ports sit
  undo: 28, // from the left: where the line to a compensation leaves the lower edge
} as const;

/** Where a join leaves whose deadline has passed. */
export const TIMEOUT = "timeout";

/** A way out as the card shows it. */
export type CardPort = {
  readonly name: string;
  readonly title: string;
  /** The condition, at the left of the row. */
  readonly label: string;
  readonly failure: boolean;
  /** From the card's top; a spare port sits on the lower edge. */
  readonly y: number;
};

export type Card = {
  readonly title: string;
  readonly subtitle: string;
  readonly tile: string;
  readonly icon: string;
  /** The name of the kind, as a person reads it. */
  readonly kind: string;
  readonly ports: readonly CardPort[];
  /** Failure ports that nothing uses yet: shown on the lower edge when wanted. */
  readonly spare: readonly CardPort[];
  /** The ports have a row each. */
  readonly rows: boolean;
  /** Edges may end here. */
  readonly input: boolean;
  readonly disabled: boolean;
  readonly pinned: boolean;
  readonly notes: boolean;
  /** A container: how many steps stand in it. */
  readonly held: number | undefined;
  /** A container that is open: a frame around what stands in it. */
  readonly frame: boolean;
  readonly pivot: boolean;
  readonly width: number;
  /** Without the line under the card. */
  readonly height: number;
};

/** How a kind is shown that the catalogue does not know. */
export function unknownSpec(kind: string): Spec {
  return {
    name: kind,
    title: kind,
    category: "flow",
    tile: "logic",
    icon: "circle-help",
    help: "",
    work: "inline",
    effect: false,
    ports: [],
    config: {},
    example: {},
  };
}

/** All ways out: the ones from the configuration, then the fixed ones. */
export function portsFor(spec: Spec, config: JsonObject | undefined): readonly Port[] {
  return [...derived(spec, config).map((d) => d.port), ...spec.ports];
}

type Derived = { readonly port: Port; readonly label: string };

function derived(spec: Spec, config: JsonObject | undefined): readonly Derived[] {
  if (spec.ports_of === undefined) return [];
  return [spec.ports_of, ...(spec.more_ports ?? [])].flatMap((from) => derivedOf(from, config));
}

function derivedOf(from: PortsOf, config: JsonObject | undefined): readonly Derived[] {
  const found: Derived[] = [];
  for (const fields of below(config, from.field.split("."))) {
    const name = fields[from.name];
    const label = fields[from.label];
    if (typeof name !== "string" || name === "") continue;
    found.push({ port: { name, title: name }, label: typeof label === "string" ? label : "" });
  }
  return found;
}

/** The title of a node: its own, or its kind's. */
export function titleOf(place: NodeLayout, spec: Spec): string {
  return place.title !== undefined && place.title !== "" ? place.title : spec.title;
}

/** Whether the port shows only when it is wanted: a failure that nobody handles. */
function isSpare(port: Port, used: ReadonlySet<string>): boolean {
  return port.failure === true && port.optional === true && !used.has(port.name);
}

/** The card of a node; used are the ports that edges leave from, held counts what stands in it. */
export function cardOf(
  node: GraphNode,
  place: NodeLayout,
  spec: Spec,
  used: ReadonlySet<string>,
  held = 0,
): Card {
  // What holds steps is a container, also when the catalogue does not know its kind.
  const holds = spec.container === true || held > 0;
  const frame = holds && place.folded !== true;
  const made = derived(spec, node.config).map((d) => line(d.port, d.label));
  const fixed = spec.ports.filter((p) => !isSpare(p, used)).map((p) => line(p, ""));
  const known = new Set([...made, ...fixed].map((p) => p.name));
  // A port that an edge uses and the catalogue does not know keeps its edge.
  const lost = [...used]
    .filter((name) => !known.has(name) && name !== COMPENSATE)
    .map((name) => line({ name, title: name }, ""));
  const late = node.join?.deadline !== undefined && !known.has(TIMEOUT) && !used.has(TIMEOUT);
  const shown = [...made, ...fixed, ...lost];
  if (late) shown.push(line({ name: TIMEOUT, title: TIMEOUT }, ""));
  const rows = shown.length > 1 && !frame;
  const height = CARD.head + (rows ? shown.length * CARD.row + 2 * CARD.pad + 1 : 0);
  const top = CARD.head + CARD.pad + 1;
  const ports = shown.map((p, i) => ({
    ...p,
    y: rows ? top + CARD.row * (i + 0.5) : CARD.middle + CARD.row * i,
  }));
  return {
    title: titleOf(place, spec),
    subtitle: subtitleOf(spec, node),
    // A transaction is a saga, whatever kind of container it is.
    tile: holds && node.config?.["transaction"] === true ? "saga" : spec.tile,
    icon: spec.icon,
    kind: spec.title,
    ports,
    spare: spec.ports.filter((p) => isSpare(p, used)).map((p) => line(p, "")),
    rows,
    input: spec.no_input !== true,
    disabled: node.disabled === true,
    pinned: place.pin !== undefined,
    notes: place.notes !== undefined && place.notes !== "",
    held: holds ? held : undefined,
    frame,
    pivot: node.pivot === true,
    width: rows ? CARD.wide : CARD.width,
    height,
  };
}

function line(port: Port, label: string): CardPort {
  return {
    name: port.name,
    title: port.title || port.name,
    label,
    failure: port.failure === true,
    y: 0,
  };
}

/** Where an edge leaves, and whether it leaves downwards. */
export type Anchor = Point & { readonly down: boolean };

type Placed = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

/** Where edges leave from a port; undefined: the card has no such port. */
export function outAnchor(card: Card, box: Placed, port: string): Anchor | undefined {
  const shown = card.ports.find((p) => p.name === port);
  if (shown !== undefined) return { x: box.x + box.w + 1, y: box.y + shown.y, down: false };
  if (port === COMPENSATE) return { x: box.x + CARD.undo, y: box.y + box.h + 1, down: true };
  const i = card.spare.findIndex((p) => p.name === port);
  if (i < 0) return undefined;
  return { x: box.x + box.w - 28 - i * 28, y: box.y + box.h, down: true };
}

/** Where edges end. */
export function inAnchor(box: Placed): Point {
  return { x: box.x - 1, y: box.y + CARD.middle };
}
