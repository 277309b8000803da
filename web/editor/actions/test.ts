// Test runs and breakpoints. Breakpoints are a person's own: they stay in the
// browser, so that they never touch the drawing, its machine, or what others
// run.

import { effect } from "@preact/signals";
import type { Editor } from "../state/editor.ts";
import type { TestOf } from "../state/signals.ts";
import { nameOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";

const placeOf = (editor: Editor) => `sb-breaks:${editor.api.workflow}`;

/** Reads the breakpoints of this person, and keeps them shown and stored. */
export function bindBreaks(editor: Editor): void {
  const { session, kernel } = editor;
  session.breaks.value = new Set(stored(placeOf(editor)));
  effect(() => {
    void session.specs.value; // a drawing that was loaded anew
    const ids = session.breaks.value;
    kernel.setBreaks(ids);
    session.test.peek()?.breaksAre(keysOf(editor, ids));
    try {
      if (ids.size > 0) localStorage.setItem(placeOf(editor), JSON.stringify([...ids]));
      else localStorage.removeItem(placeOf(editor));
    } catch {
      // Then they last as long as the page.
    }
  });
}

function stored(place: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    return Array.isArray(list) ? list.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** The keys of steps that are still there. */
export function keysOf(editor: Editor, ids: ReadonlySet<string>): readonly string[] {
  return [...ids].flatMap((id) => editor.drawing.nodes.get(id)?.key ?? []);
}

export function toggleBreaks(editor: Editor, ids: readonly string[]): void {
  const { session } = editor;
  const steps = ids.filter((id) => canStop(editor, id));
  if (steps.length === 0) {
    editor.toast(t("editor.break.none"));
    return;
  }
  const on = !steps.every((id) => session.breaks.value.has(id));
  const next = new Set(session.breaks.value);
  for (const id of steps)
    if (on) next.add(id);
    else next.delete(id);
  session.breaks.value = next;
  editor.say(t(on ? "editor.break.set" : "editor.break.gone", { n: steps.length }));
}

/** Triggers begin a run, notes are none of it. */
export function canStop(editor: Editor, id: string): boolean {
  const node = editor.drawing.nodes.get(id);
  return node !== undefined && specOf(editor, node).work !== "trigger";
}

export function testRun(editor: Editor, of: TestOf): void {
  editor.session.testOf.value = of;
  editor.session.dialog.value = "run";
}

export function runToHere(editor: Editor, id: string | undefined): void {
  if (id === undefined || !canStop(editor, id)) editor.toast(t("editor.runTo.none"));
  else testRun(editor, { to: id });
}

/** Only a step that stands in no frame can run alone. */
export function testStep(editor: Editor, id: string): void {
  const node = editor.drawing.nodes.get(id);
  if (node === undefined || !canStop(editor, id)) editor.toast(t("editor.runTo.none"));
  else if (node.in) editor.toast(t("editor.runOnly.inside", { step: nameOf(editor, id) }));
  else testRun(editor, { only: id });
}
