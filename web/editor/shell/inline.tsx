// Editing words where they stand on the canvas: a step's title, a note.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box } from "../../core/geometry.ts";
import { rename } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";

/** Puts an element over a place of the canvas and keeps it there. */
export function Over({
  box,
  class: name,
  children,
}: {
  readonly box: () => Box | undefined;
  readonly class: string;
  readonly children: ComponentChildren;
}) {
  const { session } = useEditor();
  const element = useRef<HTMLDivElement>(null);
  void session.moved.value;
  void session.revision.value;
  useLayoutEffect(() => {
    const at = box();
    const el = element.current;
    if (!el || !at) return;
    el.style.left = `${at.x}px`;
    el.style.top = `${at.y}px`;
    el.style.width = `${at.w}px`;
    el.style.height = `${at.h}px`;
  });
  return (
    <div class={name} ref={element}>
      {children}
    </div>
  );
}

export function TitleEditor() {
  const editor = useEditor();
  const id = editor.session.titleEdited.value;
  if (id === undefined || !editor.drawing.nodes.has(id)) return null;
  return <TitleField key={id} id={id} />;
}

function TitleField({ id }: { readonly id: string }) {
  const editor = useEditor();
  const [text, setText] = useState(nameOf(editor, id));
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.select(), []);
  const close = (save: boolean) => {
    if (editor.session.titleEdited.value !== id) return;
    editor.session.titleEdited.value = undefined;
    if (save && text !== nameOf(editor, id)) rename(editor, id, text);
    editor.kernel.focus(id);
  };
  return (
    <Over class="ed-title" box={() => titleBox(editor.kernel.screenBox(id))}>
      <input
        ref={input}
        class="inp"
        maxLength={200}
        aria-label={t("editor.renameStep")}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={() => close(true)}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.isComposing) return;
          if (e.key === "Enter") close(true);
          if (e.key === "Escape") close(false);
        }}
      />
    </Over>
  );
}

function titleBox(card: Box | undefined): Box | undefined {
  return card && { x: card.x + 6, y: card.y + 8, w: Math.max(180, card.w - 12), h: 36 };
}

export function NoteEditor() {
  const editor = useEditor();
  const id = editor.session.noteEdited.value;
  if (id === undefined || !editor.drawing.notes.has(id)) return null;
  return <NoteField key={id} id={id} />;
}

function NoteField({ id }: { readonly id: string }) {
  const editor = useEditor();
  const was = editor.drawing.notes.get(id)?.text ?? "";
  const [text, setText] = useState(was);
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  const close = () => {
    if (editor.session.noteEdited.value !== id) return;
    editor.session.noteEdited.value = undefined;
    if (text !== was && editor.drawing.notes.has(id))
      editor.commit(t("editor.do.noteText"), [{ op: "note.set", id, path: "/text", value: text }]);
    editor.kernel.focusCanvas();
  };
  return (
    <Over class="ed-noteedit" box={() => editor.kernel.screenBox(id)}>
      <textarea
        ref={area}
        aria-label={t("editor.noteText")}
        placeholder={t("editor.notePlaceholder")}
        maxLength={20_000}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={close}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.key === "Escape" && !e.isComposing) close();
        }}
      />
    </Over>
  );
}
