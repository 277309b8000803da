// How things in the drawing are called.

import { portsFor, titleOf, unknownSpec } from "../../core/card.ts";
import type { GraphNode, Port, Spec } from "../../core/graph.ts";
import { idFrom } from "../../core/step-key.ts";
import type { Editor } from "./editor.ts";

export function specOf(editor: Editor, node: GraphNode): Spec {
  return editor.spec(node.kind) ?? unknownSpec(node.kind);
}

/** What a step is called on its card. */
export function nameOf(editor: Editor, id: string): string {
  const node = editor.drawing.nodes.get(id);
  return node ? titleOf(editor.drawing.place(id), specOf(editor, node)) : id;
}

export function portsOf(editor: Editor, node: GraphNode): readonly Port[] {
  return portsFor(specOf(editor, node), node.config);
}

/** What a port is called beside its dot. */
export function portName(editor: Editor, id: string, port: string): string {
  const node = editor.drawing.nodes.get(id);
  const found = node ? portsOf(editor, node).find((p) => p.name === port) : undefined;
  return found?.title ?? port;
}

/** An identifier for a new node, edge or note. */
export function freshID(): string {
  const words = crypto.getRandomValues(new Uint32Array(12));
  let i = 0;
  return idFrom(() => (words[i++] ?? 0) / 2 ** 32);
}
