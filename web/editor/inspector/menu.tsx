// More of what can be done with a step.

import { useEffect, useRef, useState } from "preact/hooks";
import type { GraphNode } from "../../core/graph.ts";
import { startConnecting } from "../actions/command.ts";
import { duplicate } from "../actions/copies.ts";
import { remove, toggleDisabled, togglePin } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { menuKey } from "../panels/context-menu.tsx";
import { t } from "../strings.ts";

export function StepMenu({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const away = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const item = (words: string, icon: string, run: () => void, danger = false) => (
    <button
      type="button"
      role="menuitem"
      class={danger ? "dng" : undefined}
      onClick={() => {
        setOpen(false);
        run();
      }}
    >
      <Icon name={icon} />
      {words}
    </button>
  );
  const pinned = editor.drawing.place(node.id).pin !== undefined;
  return (
    <div class="ed-more-wrap" ref={box}>
      <button
        type="button"
        class="btn ghost sq"
        aria-label={t("editor.more")}
        aria-haspopup="menu"
        aria-expanded={open}
        disabled={editor.session.readOnly.value}
        ref={button}
        onClick={() => setOpen(!open)}
      >
        <Icon name="ellipsis" />
      </button>
      {open ? (
        <div
          class="pop menu"
          role="menu"
          aria-label={t("editor.more")}
          onKeyDown={(e) => menuKey(e, close)}
        >
          {item(t("editor.menu.connect"), "spline", () => startConnecting(editor, node.id))}
          {item(
            t("editor.menu.replace"),
            "replace",
            () => (editor.session.quickAdd.value = { replace: node.id }),
          )}
          {item(
            t(node.disabled ? "editor.selbar.enable" : "editor.selbar.disable"),
            node.disabled ? "power" : "power-off",
            () => toggleDisabled(editor, [node.id]),
          )}
          {item(
            t(pinned ? "editor.selbar.unpin" : "editor.selbar.pin"),
            pinned ? "pin-off" : "pin",
            () => togglePin(editor, [node.id]),
          )}
          {item(
            t("editor.selbar.duplicate"),
            "copy",
            () => void duplicate(editor, [node.id], [], { x: 32, y: 32 }),
          )}
          {item(t("editor.menu.rejoin"), "unlink-2", () =>
            remove(editor, { nodes: [node.id], edges: [], notes: [], rejoin: true }),
          )}
          {item(
            t("editor.selbar.delete"),
            "trash-2",
            () => remove(editor, { nodes: [node.id], edges: [], notes: [], rejoin: false }),
            true,
          )}
        </div>
      ) : null}
    </div>
  );
}
