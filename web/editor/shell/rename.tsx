// The workflow's name while it is written.

import { useEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { t } from "../strings.ts";

export function Rename() {
  const editor = useEditor();
  const { session } = editor;
  const name = editor.drawing.name || session.workflow.value.name || t("editor.untitled");
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(name);
  useEffect(() => input.current?.select(), []);
  const close = (save: boolean) => {
    session.renaming.value = false;
    const next = text.trim();
    if (save && next !== "" && next !== name)
      editor.commit(t("editor.do.renameWorkflow"), [
        { op: "graph.set", path: "/name", value: next },
      ]);
  };
  return (
    <input
      ref={input}
      class="inp ed-rename"
      aria-label={t("editor.nameOfWorkflow")}
      maxLength={200}
      value={text}
      onInput={(e) => setText(e.currentTarget.value)}
      onBlur={() => close(true)}
      onKeyDown={(e) => {
        if (e.isComposing) return;
        if (e.key === "Enter") close(true);
        if (e.key === "Escape") close(false);
      }}
    />
  );
}
