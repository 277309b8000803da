// Keys that work everywhere on the page. Single letters belong to the canvas
// alone; these all have a modifier, or are function keys.

import type { Command } from "../../core/keymap.ts";
import { comboOf, KEYMAP } from "../../core/keymap.ts";
import { runCommand } from "../actions/run.ts";
import type { Editor } from "../state/editor.ts";

const everywhere: ReadonlySet<Command> = new Set<Command>([
  "palette",
  "testRun",
  "checkpoint",
  "find",
]);
const outsideFields: ReadonlySet<Command> = new Set<Command>(["undo", "redo"]);

const regions = [".ed-rail", ".ed-panel", ".ed-place", ".ed-insp", ".ed-top"];

export function bindPageKeys(editor: Editor): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || editor.session.loading.value !== "ready")
      return;
    if (event.key === "F6") {
      event.preventDefault();
      nextRegion(editor, event.shiftKey);
      return;
    }
    const command = KEYMAP[comboOf(event)];
    if (command === undefined || !(event.ctrlKey || event.metaKey)) return;
    if (editor.session.dialog.value !== undefined) return;
    const field =
      event.target instanceof Element &&
      event.target.closest("input, textarea, select, .ed-exprhost") !== null;
    if (!everywhere.has(command) && !(outsideFields.has(command) && !field)) return;
    event.preventDefault();
    void runCommand(editor, command);
  });
}

/** F6 walks the regions of the page. */
function nextRegion(editor: Editor, back: boolean): void {
  const present = regions.flatMap((s) => document.querySelector<HTMLElement>(s) ?? []);
  const now = present.findIndex((r) => r.contains(document.activeElement));
  const next = present[(now + (back ? -1 : 1) + present.length) % present.length];
  if (!next) return;
  if (next.matches(".ed-place")) editor.kernel.focusCanvas();
  else
    next
      .querySelector<HTMLElement>('[tabindex="0"], button:not(:disabled), a[href], input')
      ?.focus();
}
