// The menu of what is under the pointer (secondary click, menu key).

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { COMPENSATE } from "../../core/graph.ts";
import type { Command } from "../../core/keymap.ts";
import { openInspector } from "../actions/bind.ts";
import { startConnecting } from "../actions/command.ts";
import { duplicate } from "../actions/copies.ts";
import { remove, toggleDisabled, togglePin } from "../actions/edit.ts";
import { runToHere, testStep, toggleBreaks } from "../actions/test.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { keyOf } from "../shell/keys.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

/** What a test run can do with these steps. */
function testItems(editor: Editor, ids: readonly string[]) {
  const [one] = ids;
  const all = {
    words: t("editor.selbar.break"),
    icon: "circle-pause",
    command: "breakpoint" as const,
    run: () => toggleBreaks(editor, ids),
  };
  if (one === undefined || ids.length > 1) return [all];
  const here = {
    words: t("editor.selbar.runTo"),
    icon: "step-forward",
    command: "runToHere" as const,
    run: () => runToHere(editor, one),
  };
  const alone = {
    words: t("editor.menu.runOnly"),
    icon: "play",
    command: undefined,
    run: () => testStep(editor, one),
  };
  return [all, here, alone];
}

export function ContextMenu() {
  const editor = useEditor();
  const { session, kernel } = editor;
  const menu = session.menu.value;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const el = element.current;
    if (!el || !menu) return;
    const room = kernel.root.getBoundingClientRect();
    el.style.left = `${Math.max(8, Math.min(room.width - el.offsetWidth - 8, menu.screen.x))}px`;
    el.style.top = `${Math.max(8, Math.min(room.height - el.offsetHeight - 8, menu.screen.y))}px`;
    el.querySelector("button")?.focus();
  }, [menu]);
  useEffect(() => {
    if (!menu) return undefined;
    const away = (event: Event) => {
      if (event.target instanceof Node && !element.current?.contains(event.target))
        session.menu.value = undefined;
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, [menu]);
  if (!menu) return null;
  const { nodes, edges, notes } = session.selection.value;
  const ids = [...nodes];
  const [one] = ids;
  const single = ids.length === 1 ? one : undefined;
  const close = () => {
    session.menu.value = undefined;
    kernel.focusCanvas();
  };
  const item = (
    words: string,
    icon: string,
    command: Command | undefined,
    run: () => unknown,
    danger = false,
  ) => (
    <button
      type="button"
      role="menuitem"
      class={danger ? "dng" : undefined}
      onClick={() => {
        close();
        run();
      }}
    >
      <Icon name={icon} />
      <span>{words}</span>
      {command && keyOf(command) ? <kbd>{keyOf(command)}</kbd> : null}
    </button>
  );
  const disabled = ids.length > 0 && ids.every((id) => editor.drawing.nodes.get(id)?.disabled);
  const pinned = ids.length > 0 && ids.every((id) => editor.drawing.place(id).pin !== undefined);
  return (
    <div
      class="pop menu ed-menu"
      role="menu"
      aria-label={t("editor.menu")}
      ref={element}
      onKeyDown={(e) => menuKey(e, close)}
    >
      {single !== undefined ? (
        <>
          {item(t("editor.menu.open"), "settings-2", "open", () => openInspector(editor))}
          {item(
            t("editor.menu.rename"),
            "pencil",
            "rename",
            () => (session.titleEdited.value = single),
          )}
          {item(t("editor.menu.connect"), "spline", "connect", () =>
            startConnecting(editor, single),
          )}
          {item(t("editor.command.comment"), "message-square", "comment", () =>
            session.talk.value?.write(single),
          )}
        </>
      ) : null}
      {ids.length > 0 ? (
        <>
          {item(
            t(disabled ? "editor.selbar.enable" : "editor.selbar.disable"),
            disabled ? "power" : "power-off",
            "disable",
            () => toggleDisabled(editor, ids),
          )}
          {item(
            t(pinned ? "editor.selbar.unpin" : "editor.selbar.pin"),
            pinned ? "pin-off" : "pin",
            "pin",
            () => togglePin(editor, ids),
          )}
          {testItems(editor, ids).map(({ words, icon, command, run }) =>
            item(words, icon, command, run),
          )}
          {item(t("editor.menu.downstream"), "arrow-right", "selectDownstream", () =>
            kernel.run("selectDownstream"),
          )}
          {item(t("editor.menu.upstream"), "arrow-left", "selectUpstream", () =>
            kernel.run("selectUpstream"),
          )}
        </>
      ) : null}
      {single !== undefined
        ? item(t("editor.menu.replace"), "replace", undefined, () => {
            session.quickAdd.value = { replace: single };
          })
        : null}
      {ids.length > 0
        ? item(t("editor.menu.wrap"), "group", "group", () => kernel.run("group"))
        : null}
      {ids.length > 0 && editor.spec("call") !== undefined
        ? item(t("editor.menu.extract"), "workflow", undefined, async () => {
            const { extract } = await import("../actions/extract.ts");
            await extract(editor, ids);
          })
        : null}
      {ids.length > 0
        ? item(t("editor.menu.snippet"), "blocks", undefined, () => {
            session.dialog.value = "saveSnippet";
          })
        : null}
      {single !== undefined && editor.drawing.held(single).size > 0
        ? item(t("editor.menu.unwrap"), "ungroup", "ungroup", () => kernel.run("ungroup"))
        : null}
      {single !== undefined && editor.spec(editor.drawing.nodes.get(single)?.kind ?? "")?.container
        ? item(t("editor.command.fold"), "chevrons-down-up", "fold", () => kernel.run("fold"))
        : null}
      {single !== undefined ? <UndoItem id={single} item={item} /> : null}
      {ids.length + notes.size > 0
        ? item(
            t("editor.selbar.duplicate"),
            "copy",
            "duplicate",
            () => void duplicate(editor, nodes, notes, { x: 32, y: 32 }),
          )
        : null}
      {ids.length > 0
        ? item(t("editor.menu.rejoin"), "unlink-2", "deleteRejoin", () =>
            remove(editor, { nodes: ids, edges: [], notes: [], rejoin: true }),
          )
        : null}
      {item(
        t("editor.selbar.delete"),
        "trash-2",
        "delete",
        () => remove(editor, { nodes: ids, edges: [...edges], notes: [...notes], rejoin: false }),
        true,
      )}
    </div>
  );
}

type Item = (
  words: string,
  icon: string,
  command: Command | undefined,
  run: () => void,
) => JSX.Element;

/** A step that changes something outside can have one that undoes it. */
function UndoItem({ id, item }: { readonly id: string; readonly item: Item }) {
  const editor = useEditor();
  const { drawing, session } = editor;
  const spec = editor.spec(drawing.nodes.get(id)?.kind ?? "");
  const able = spec !== undefined && spec.work !== "trigger" && spec.container !== true;
  if (!able || drawing.outOf(id, COMPENSATE).length > 0) return null;
  return item(t("editor.menu.compensate"), "undo-2", undefined, () => {
    session.quickAdd.value = { from: { node: id, port: COMPENSATE } };
  });
}

/** Arrows walk the items; Escape goes back to the canvas. */
export function menuKey(
  event: KeyboardEvent & { currentTarget: HTMLElement },
  close: () => void,
): void {
  const items = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)'),
  ];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (event.key === "Escape") close();
  else if (event.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
  else if (event.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
  else if (event.key === "Home") items[0]?.focus();
  else if (event.key === "End") items.at(-1)?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
