// What was copied, as text, so that steps travel between tabs, workflows and
// people.

import { clipOf, clipText } from "../../core/clip.ts";
import type { Selection } from "../../kernel/api.ts";
import type { Editor } from "../state/editor.ts";

export function copyText(editor: Editor, selection: Selection): string | undefined {
  if (selection.nodes.size + selection.notes.size === 0) return undefined;
  return clipText(clipOf(editor.drawing, selection.nodes, selection.notes));
}
