// What this person and the others on the drawing are at: it is told, a field
// in which somebody types is left alone by the others, and deleting what
// somebody else has chosen is asked first.

import { effect } from "@preact/signals";
import type { Editor } from "./editor.ts";
import type { Person } from "./signals.ts";

/** Somebody who has not typed for so long has stopped. */
const TYPED_MS = 5_000;
/** Who only looks is told of this often, so that they are not taken to be gone. */
const BEAT_MS = 8_000;

/** Tells the others what this person has chosen and where they type. */
export function bindCompany(editor: Editor): void {
  const { session } = editor;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rests = (): void => {
    clearTimeout(timer);
    timer = undefined;
    session.typing.value = "";
  };
  document.addEventListener("input", (event) => {
    const field = fieldOf(editor, event.target);
    if (field === undefined) return;
    session.typing.value = field;
    clearTimeout(timer);
    timer = setTimeout(rests, TYPED_MS);
  });
  document.addEventListener("focusout", rests);
  effect(() => {
    const selection = [...session.selection.value.nodes].slice(0, 200);
    editor.presence({ selection, field: session.typing.value });
  });
  setInterval(() => {
    if (!document.hidden) editor.presence({});
  }, BEAT_MS);
}

function fieldOf(editor: Editor, target: EventTarget | null): string | undefined {
  const box = target instanceof Element ? target.closest<HTMLElement>("[data-field]") : null;
  const [node, more] = editor.session.selection.value.nodes;
  if (!box || node === undefined || more !== undefined) return undefined;
  return `${node}${box.dataset["field"]}`;
}

/** Who types in this field of a step, unless this person was first. */
export function typist(editor: Editor, node: string, pointer: string): string | undefined {
  const field = `${node}${pointer}`;
  const { people, typing } = editor.session;
  if (typing.value === field) return undefined;
  return people.value.find((p) => p.field === field)?.name;
}

/** The others who have chosen one of these steps. */
export function choosersOf(editor: Editor, nodes: Iterable<string>): readonly Person[] {
  const ids = new Set(nodes);
  return editor.session.people.value.filter((p) => p.selection.some((id) => ids.has(id)));
}
