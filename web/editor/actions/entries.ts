// What the list of steps offers beside the kinds.

import type { Spec } from "../../core/graph.ts";
import { entryOf } from "../snippets/snippets.ts";
import type { Editor } from "../state/editor.ts";

/** What workers do, and snippets. */
export function entriesOf(editor: Editor): readonly Spec[] {
  const { taskEntries, snippets } = editor.session;
  return [...taskEntries.value, ...snippets.value.map(entryOf)];
}
