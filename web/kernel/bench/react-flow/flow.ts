// Our drawings as React Flow's nodes and edges.

import { type Edge, MarkerType, type NodeHandle, Position } from "@xyflow/react";
import { CARD, type Card } from "../../../core/card.ts";
import type { Graph } from "../../../core/graph.ts";
import { Scene } from "../../scene.ts";
import { SPECS } from "../sample.ts";
import type { CardNode } from "./card.tsx";

const HANDLE = 11;

export type Flow = { readonly nodes: CardNode[]; readonly edges: Edge[] };

export function flowOf(graph: Graph): Flow {
  const scene = new Scene();
  scene.load(graph, SPECS);
  const nodes = graph.nodes.flatMap(({ id }): CardNode[] => {
    const face = scene.faces.get(id);
    const box = scene.box(id);
    return face === undefined || box === undefined ? [] : [node(id, face, box.x, box.y)];
  });
  const edges = graph.edges.map(
    (e): Edge => ({
      id: e.id,
      source: e.from,
      sourceHandle: e.port,
      target: e.to,
      targetHandle: "in",
      markerEnd: { type: MarkerType.ArrowClosed },
    }),
  );
  return { nodes, edges };
}

// Sizes and handles are told beforehand, so that React Flow has nothing to
// measure and need not render everything once to know what is in view.
function node(id: string, face: Card, x: number, y: number): CardNode {
  const { width, height } = face;
  return {
    id,
    type: "card",
    position: { x, y },
    data: { face },
    width,
    height,
    handles: [
      handle("target", "in", -HANDLE / 2, CARD.middle),
      ...face.ports.map((p) => handle("source", p.name, width - HANDLE / 2, p.y)),
    ],
  };
}

function handle(type: "source" | "target", id: string, x: number, middle: number): NodeHandle {
  const position = type === "source" ? Position.Right : Position.Left;
  return { type, id, position, x, y: middle - HANDLE / 2, width: HANDLE, height: HANDLE };
}
