// The panels at the left.

import type { Editor } from "../state/editor.ts";
import type { Panel } from "../state/signals.ts";

export function togglePanel(
  editor: Editor,
  panel: Panel,
  open = editor.session.panel.value !== panel,
): void {
  editor.session.panel.value = open ? panel : undefined;
  if (!open) editor.kernel.focusCanvas();
}
