// What the canvas's intents do.

import { effect } from "@preact/signals";
import type { EventOf, KernelEventType } from "../../kernel/api.ts";
import { bindPageKeys } from "../shell/page-keys.ts";
import { bindCompany } from "../state/company.ts";
import type { Editor } from "../state/editor.ts";
import { bindHands } from "../state/hands.ts";
import { t } from "../strings.ts";
import { bindData } from "../traffic/data.ts";
import { addEntry } from "./add.ts";
import { copyText } from "./clipboard.ts";
import { runCommand } from "./command.ts";
import { duplicate, outside } from "./copies.ts";
import { connect, fold, insertOnEdge, moveBy, reconnect, remove, resizeFrame } from "./edit.ts";
import { entriesOf } from "./entries.ts";
import { bindBreaks } from "./test.ts";

/** The type of data when a kind is dragged from the list onto the canvas. */
export const kindDragType = "application/x-signalbox-kind";

export function bindCanvas(editor: Editor): void {
  const { kernel, session } = editor;
  const on = <T extends KernelEventType>(type: T, listener: (event: EventOf<T>) => void) =>
    kernel.on(type, listener);
  on("move", (e) => moveBy(editor, e.nodes, e.notes, { x: e.dx, y: e.dy }, e.into));
  on("duplicate", (e) => void duplicate(editor, e.nodes, e.notes, { x: e.dx, y: e.dy }, e.into));
  on("connect", (e) => connect(editor, e.from, e.port, e.to));
  on("reconnect", (e) => reconnect(editor, e.edge, { from: e.from, port: e.port, to: e.to }));
  on("connectDropped", (e) => {
    session.quickAdd.value = { at: e.at, from: e.from, to: e.to, torn: e.edge };
  });
  on("connectRefused", (e) => {
    // On the screen it stands beside the pointer.
    editor.say(e.why);
  });
  on("insert", (e) => insertOnEdge(editor, e.node, e.edge, { x: e.dx, y: e.dy }));
  on("quickAdd", (e) => {
    // By key a step follows the focused one; by pointer it goes where it was asked for.
    session.quickAdd.value = {
      at: e.by === "pointer" ? e.at : undefined,
      from: e.from,
      edge: e.edge,
      within: e.within,
    };
  });
  on("delete", (e) => remove(editor, e));
  on("resizeNote", (e) => resizeNote(editor, e));
  on("resizeFrame", (e) => resizeFrame(editor, e.id, e.box));
  on("fold", (e) => {
    if (!session.readOnly.value) fold(editor, e.id, e.folded);
  });
  on("editNote", (e) => {
    session.noteEdited.value = e.id;
  });
  on("rename", (e) => {
    session.titleEdited.value = e.id;
  });
  on("open", () => openInspector(editor));
  on("command", (e) => runCommand(editor, e.command, e.at));
  on("clipboard", (e) => clipboard(editor, e));
  on("drop", (e) => dropKind(editor, e));
  on("menu", (e) => {
    if (e.target.is === "ground" || session.readOnly.value) return;
    session.menu.value = { screen: e.screen, at: e.at };
  });
  on("selection", (e) => {
    session.selection.value = e.selection;
    session.menu.value = undefined;
    editor.seal();
  });
  on("camera", (e) => {
    session.zoom.value = e.camera.z;
    session.moved.value += 1;
  });
  on("pointer", (e) => {
    if (e.at) editor.presence({ x: Math.round(e.at.x), y: Math.round(e.at.y) });
  });
  on("gesture", (e) => {
    session.gesture.value = e.active;
    if (e.active) session.menu.value = undefined;
  });
  on("tool", (e) => {
    session.tool.value = e.tool;
  });
  effect(() => kernel.setReadOnly(session.readOnly.value));
  bindBreaks(editor);
  bindPageKeys(editor);
  bindData(editor);
  bindHands(editor);
  bindCompany(editor);
}

/** Opens the settings, with the first field that still needs an answer in focus. */
export function openInspector(editor: Editor): void {
  const { session } = editor;
  session.inspector.value = true;
  session.tab.value = "configure";
  session.focusField.value = "first";
}

function resizeNote(editor: Editor, event: EventOf<"resizeNote">): void {
  const note = editor.drawing.notes.get(event.id);
  if (!note) return;
  const names = ["x", "y", "w", "h"] as const;
  const ops = names
    .filter((name) => Math.round(event.box[name]) !== note[name])
    .map((name) => ({
      op: "note.set",
      id: event.id,
      path: `/${name}`,
      value: Math.round(event.box[name]),
    }));
  editor.commit(t("editor.do.resizeNote"), ops);
}

function clipboard(editor: Editor, e: EventOf<"clipboard">): void {
  const data = e.event.clipboardData;
  if (!data) return;
  if (e.action === "paste") {
    e.event.preventDefault();
    const text = data.getData("text/plain");
    void outside((m) => m.pasteText(editor, text, { at: e.at, keepLinks: e.keepLinks }));
    return;
  }
  const selection = editor.session.selection.value;
  const text = copyText(editor, selection);
  if (text === undefined) return;
  data.setData("text/plain", text);
  e.event.preventDefault();
  const n = selection.nodes.size + selection.notes.size;
  editor.say(t("editor.said.copied", { n }));
  if (e.action === "cut")
    remove(editor, {
      nodes: [...selection.nodes],
      edges: [],
      notes: [...selection.notes],
      rejoin: false,
    });
}

function dropKind(editor: Editor, e: EventOf<"drop">): void {
  const [file] = e.data.files;
  if (file !== undefined) {
    void outside((m) => m.dropFile(editor, file, e.at));
    return;
  }
  const name = e.data.getData(kindDragType);
  const spec = editor.spec(name) ?? entriesOf(editor).find((entry) => entry.name === name);
  if (!spec) return;
  editor.session.quickAdd.value = undefined;
  addEntry(editor, spec, e.target.is === "edge" ? { edge: e.target.id, at: e.at } : { at: e.at });
}
