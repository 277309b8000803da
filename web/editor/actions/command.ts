// Commands: what keys, the palette and the menus have in common.

import type { Point } from "../../core/geometry.ts";
import type { Command } from "../../core/keymap.ts";
import type { Editor } from "../state/editor.ts";
import { duplicate } from "./copies.ts";
import { addNote, toggleDisabled, togglePin } from "./edit.ts";
import { unwrap, wrap } from "./group.ts";
import { togglePanel } from "./panel.ts";
import { runToHere, testRun, toggleBreaks } from "./test.ts";
import { tidy } from "./tidy.ts";

export function runCommand(editor: Editor, command: Command, at?: Point): void {
  const { session } = editor;
  const nodes = [...session.selection.value.nodes];
  switch (command) {
    case "undo":
      editor.undo();
      break;
    case "redo":
      editor.redo();
      break;
    case "duplicate":
      void duplicate(editor, nodes, session.selection.value.notes, { x: 32, y: 32 });
      break;
    case "tidy":
      void tidy(editor);
      break;
    case "group":
      if (nodes.length > 0) wrap(editor, nodes);
      break;
    case "ungroup":
      unwrap(editor, nodes);
      break;
    case "disable":
      if (nodes.length > 0) toggleDisabled(editor, nodes);
      break;
    case "pin":
      if (nodes.length > 0) togglePin(editor, nodes);
      break;
    case "note":
      addNote(editor, at);
      break;
    case "connect":
      startConnecting(editor);
      break;
    case "find":
      togglePanel(editor, "find", true);
      break;
    case "outline":
      togglePanel(editor, "outline");
      break;
    case "inspector":
      session.inspector.value = !session.inspector.value;
      break;
    case "palette":
      session.dialog.value = "palette";
      break;
    case "help":
      session.dialog.value = "keys";
      break;
    case "comment":
      session.talk.value?.write(nodes.length === 1 ? nodes[0] : editor.kernel.focused);
      break;
    case "breakpoint":
      toggleBreaks(editor, nodes.length > 0 ? nodes : listOf(editor.kernel.focused));
      break;
    case "testRun":
      testRun(editor, {});
      break;
    case "runToHere":
      runToHere(editor, nodes.length === 1 ? nodes[0] : editor.kernel.focused);
      break;
    case "checkpoint":
      if (!session.readOnly.value) session.dialog.value = "checkpoint";
      break;
    default:
      editor.kernel.run(command);
  }
}

const listOf = (id: string | undefined): readonly string[] => (id === undefined ? [] : [id]);

/** Connect mode: choose a port, then the step that it leads to. */
export function startConnecting(editor: Editor, id = editor.kernel.focused): void {
  if (id === undefined || editor.session.readOnly.value) return;
  editor.session.connecting.value = { node: id, port: undefined };
}
