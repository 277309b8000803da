// How things in the drawing are called.

import { portsFor, TIMEOUT, titleOf, unknownSpec } from "../../core/card.ts";
import { COMPENSATE, type GraphNode, type Port, type Spec } from "../../core/graph.ts";
import { idFrom } from "../../core/step-key.ts";
import { t } from "../strings.ts";
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
  const ports = portsFor(specOf(editor, node), node.config);
  if (node.join?.deadline === undefined || ports.some((p) => p.name === TIMEOUT)) return ports;
  return [...ports, { name: TIMEOUT, title: TIMEOUT }];
}

/** What a port is called beside its dot. */
export function portName(editor: Editor, id: string, port: string): string {
  if (port === COMPENSATE) return t("editor.port.compensate");
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
