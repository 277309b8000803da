// What is told of a step's ports beside their shapes.

import type { GraphNode } from "../../core/graph.ts";
import { misfit, type Ports, type Shape } from "../../core/port-shape.ts";
import type { Editor } from "../state/editor.ts";
import { portsOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { misfitWords } from "./words.ts";

/** What a step gave last, or is pinned to give. */
export function seenOf(editor: Editor, node: GraphNode): unknown {
  return editor.drawing.place(node.id).pin ?? editor.session.samples.value.nodes[node.key]?.output;
}

/** The shapes of a step's ports; those that give the same stand together. */
export function givenBy(
  editor: Editor,
  node: GraphNode,
  at: Ports,
): { readonly port: string; readonly title: string; readonly shape: Shape }[] {
  const groups: { port: string; titles: string[]; shape: Shape; text: string }[] = [];
  for (const port of portsOf(editor, node)) {
    const shape = at.gives[port.name] ?? {};
    const text = JSON.stringify(shape);
    const same = groups.find((g) => g.text === text && g.port !== "failure");
    if (same && !port.failure) same.titles.push(port.title);
    else groups.push({ port: port.name, titles: [port.title], shape, text });
  }
  return groups.map(({ port, titles, shape }) => ({
    port,
    title: t("editor.shape.gives", { ports: titles.join(", ") }),
    shape,
  }));
}

/** Why what comes cannot be what the step takes. */
export function brokenBy(at: Ports): string | undefined {
  const found = misfit(at.gets, at.takes);
  return found ? misfitWords(found) : undefined;
}
