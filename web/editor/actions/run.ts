// Commands for those who are there before the code of the commands is.

import type { Point } from "../../core/geometry.ts";
import type { Command } from "../../core/keymap.ts";
import type { Editor } from "../state/editor.ts";

/** Carries a command out as soon as its code is here. */
export async function runCommand(editor: Editor, command: Command, at?: Point): Promise<void> {
  const later = await import("./command.ts");
  later.runCommand(editor, command, at);
}
