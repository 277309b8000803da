// What was copied, as text, so that steps travel between tabs, workflows and
// people. A whole workflow file pastes as well.

import type { Clip } from "../../core/clip.ts";
import { clipOf, clipText, readClip } from "../../core/clip.ts";
import { member } from "../../core/form-schema.ts";
import type { Graph, NodeDoc } from "../../core/graph.ts";
import { FORMAT } from "../../core/graph.ts";
import type { Selection } from "../../kernel/api.ts";
import type { Editor } from "../state/editor.ts";

export function copyText(editor: Editor, selection: Selection): string | undefined {
  if (selection.nodes.size + selection.notes.size === 0) return undefined;
  return clipText(clipOf(editor.drawing, selection.nodes, selection.notes));
}

/** Reads what was copied; undefined when the text is something else. */
export function parseClip(text: string): Clip | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  return readClip(text) ?? fromFile(text);
}

/** The steps of a whole workflow file. */
function fromFile(text: string): Clip | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (member(value, "signalbox") !== FORMAT || !Array.isArray(member(value, "nodes")))
      return undefined;
    const graph = value as Graph;
    const nodes = graph.nodes.map(
      (n): NodeDoc => ({ ...n, ...(graph.layout?.nodes?.[n.id] ?? { x: 0, y: 0 }) }),
    );
    const notes = Object.entries(graph.layout?.notes ?? {}).map(([id, note]) => ({ id, ...note }));
    return { signalbox_clip: 1, nodes, edges: graph.edges ?? [], outside: [], notes };
  } catch {
    return undefined;
  }
}
