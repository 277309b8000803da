// What the server says of the data at every port of the drawing that is open.

import { signal } from "@preact/signals";
import type { GraphNode } from "../../core/graph.ts";
import type { Ports, Shape } from "../../core/port-shape.ts";
import type { Editor } from "../state/editor.ts";

/** By node id; empty until the server has answered. */
export const ports = signal<ReadonlyMap<string, Ports>>(new Map());

/** What the variables of a step's expressions look like. */
export function shapesFor(editor: Editor, node: GraphNode): Readonly<Record<string, Shape>> {
  const all = ports.value;
  const own = all.get(node.id);
  if (!own) return {};
  const nodes: Record<string, Shape> = {};
  let trigger: Shape | undefined;
  for (const other of editor.drawing.nodes.values()) {
    const output = outputOf(all.get(other.id));
    if (output) nodes[other.key] = { properties: { output } };
    if (editor.spec(other.kind)?.work === "trigger") trigger = trigger ? {} : output;
  }
  const into = [...editor.drawing.into(node.id)];
  const inputs: Shape = into.length > 1 ? own.gets : {};
  return { input: own.gets, inputs, nodes: { properties: nodes }, ...(trigger ? { trigger } : {}) };
}

/** What a step gives when it does not fail. */
export function outputOf(at: Ports | undefined): Shape | undefined {
  if (!at) return undefined;
  const name = Object.keys(at.gives).find((port) => port !== "failure" && port !== "timeout");
  return name === undefined ? undefined : at.gives[name];
}
