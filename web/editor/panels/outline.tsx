// The outline: every step in the order of the graph with its connections, as
// a tree that can do all that the canvas can.

import { useEffect, useRef, useState } from "preact/hooks";
import { openInspector } from "../actions/bind.ts";
import { startConnecting } from "../actions/command.ts";
import { moveBy, remove } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf, portName, portsOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { inOrder } from "./order.ts";
import { SidePanel } from "./panel.tsx";

export function Outline() {
  const editor = useEditor();
  const { session } = editor;
  void session.revision.value;
  const order = inOrder(editor.drawing);
  const selected = [...session.selection.value.nodes][0];
  const [focused, setFocused] = useState<string | undefined>(selected ?? order[0]);
  const tree = useRef<HTMLUListElement>(null);
  const current =
    focused !== undefined && editor.drawing.nodes.has(focused.split(">")[0] ?? "")
      ? focused
      : order[0];
  useEffect(() => {
    focusRow(tree.current, current);
  }, []);
  const focus = (row: string | undefined) => {
    if (row === undefined) return;
    setFocused(row);
    focusRow(tree.current, row);
    const id = row.split(">")[0] ?? "";
    editor.kernel.select({ nodes: [id] });
    editor.kernel.reveal([id], true);
  };
  const rows = order.flatMap((id) => [
    id,
    ...[...editor.drawing.out(id)].map((e) => `${id}>${e.id}`),
  ]);
  const key = (event: KeyboardEvent) => {
    if (event.isComposing || (event.target instanceof HTMLElement && event.target.closest("input")))
      return;
    if (!treeKey(editor, event, rows, current, focus)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <SidePanel
      title={t("editor.outline")}
      actions={
        session.readOnly.value ? null : (
          <button
            type="button"
            class="btn ghost sm sq"
            aria-label={t("editor.rail.add")}
            onClick={() => (session.quickAdd.value = {})}
          >
            <Icon name="plus" />
          </button>
        )
      }
    >
      {order.length === 0 ? <p class="hint ed-count">{t("editor.outline.empty")}</p> : null}
      <ul
        role="tree"
        aria-label={t("editor.outline.tree")}
        class="ed-tree"
        ref={tree}
        onKeyDown={key}
      >
        {order.map((id, i) => (
          <OutlineStep
            key={id}
            id={id}
            position={i + 1}
            count={order.length}
            current={current}
            select={focus}
          />
        ))}
      </ul>
      <p class="hint ed-treehint">{t("editor.outline.hint")}</p>
    </SidePanel>
  );
}

function focusRow(tree: HTMLElement | null, row: string | undefined): void {
  if (row === undefined) return;
  tree?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row)}"]`)?.focus();
}

type StepProps = {
  readonly id: string;
  readonly position: number;
  readonly count: number;
  readonly current: string | undefined;
  select(row: string): void;
};

function OutlineStep({ id, position, count, current, select }: StepProps) {
  const editor = useEditor();
  const node = editor.drawing.nodes.get(id);
  if (!node) return null;
  const spec = specOf(editor, node);
  const edges = [...editor.drawing.out(id)];
  const selected = editor.session.selection.value.nodes.has(id);
  const depth = editor.drawing.around(id).length;
  const indent = depth === 0 ? {} : { style: { paddingInlineStart: `${depth * 16}px` } };
  return (
    <>
      <li
        role="treeitem"
        {...indent}
        aria-level={depth + 1}
        aria-posinset={position}
        aria-setsize={count}
        aria-selected={selected}
        tabIndex={current === id ? 0 : -1}
        data-row={id}
      >
        <div class="ed-treerow" onClick={() => select(id)} onDblClick={() => openInspector(editor)}>
          <span class={`tile t-${spec.tile}`}>
            <Icon name={spec.icon} />
          </span>
          <span class="clip">
            <b class="clip">{nameOf(editor, id)}</b>
            <small class="clip mono">{node.key}</small>
          </span>
          <span class="sr">{t("editor.outline.step", { kind: spec.title, n: edges.length })}</span>
          <ProblemCount id={id} />
          {selected && !editor.session.readOnly.value ? <StepActions id={id} /> : null}
        </div>
      </li>
      {edges.map((edge, i) => (
        <li
          key={edge.id}
          role="treeitem"
          {...indent}
          aria-level={depth + 2}
          aria-posinset={i + 1}
          aria-setsize={edges.length}
          aria-selected={editor.session.selection.value.edges.has(edge.id)}
          tabIndex={current === `${id}>${edge.id}` ? 0 : -1}
          data-row={`${id}>${edge.id}`}
          class="ed-treeedge"
          onClick={() => {
            select(`${id}>${edge.id}`);
            editor.kernel.select({ edges: [edge.id] });
          }}
        >
          <span class="mono">{portName(editor, id, edge.port)}</span>
          <Icon name="arrow-right" />
          <span class="clip">{nameOf(editor, edge.to)}</span>
        </li>
      ))}
    </>
  );
}

function ProblemCount({ id }: { readonly id: string }) {
  const problems = useEditor().session.issues.value.filter((i) => i.node === id);
  if (problems.length === 0) return null;
  const failed = problems.some((p) => p.severity === "error");
  return (
    <span class={failed ? "chip fail" : "chip wait"}>
      <Icon name="triangle-alert" />
      {problems.length}
    </span>
  );
}

function StepActions({ id }: { readonly id: string }) {
  const editor = useEditor();
  const step = nameOf(editor, id);
  return (
    <span class="ed-treeacts">
      <button
        type="button"
        class="btn ghost sm sq"
        tabIndex={-1}
        aria-label={t("editor.outline.addAfter", { step })}
        title={t("editor.outline.addAfter", { step })}
        onClick={() => addAfter(editor, id)}
      >
        <Icon name="plus" />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        tabIndex={-1}
        aria-label={t("editor.outline.connect", { step })}
        title={t("editor.outline.connect", { step })}
        onClick={() => startConnecting(editor, id)}
      >
        <Icon name="spline" />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        tabIndex={-1}
        aria-label={t("editor.outline.delete", { step })}
        title={t("editor.outline.delete", { step })}
        onClick={() => remove(editor, { nodes: [id], edges: [], notes: [], rejoin: false })}
      >
        <Icon name="trash-2" />
      </button>
    </span>
  );
}

function addAfter(editor: Editor, id: string): void {
  const node = editor.drawing.nodes.get(id);
  const ports = node ? portsOf(editor, node).filter((p) => !p.failure) : [];
  const port = ports.find((p) => editor.drawing.outOf(id, p.name).length === 0) ?? ports[0];
  editor.session.quickAdd.value = port ? { from: { node: id, port: port.name } } : {};
}

const nudge = 40;

/** Whether the key meant something here. */
function treeKey(
  editor: Editor,
  event: KeyboardEvent,
  rows: readonly string[],
  current: string | undefined,
  focus: (row: string | undefined) => void,
): boolean {
  const at = rows.indexOf(current ?? "");
  const [id = "", edge] = (current ?? "").split(">");
  const edits = !editor.session.readOnly.value;
  if (event.shiftKey && event.key.startsWith("Arrow") && edits && id !== "") {
    const d = {
      ArrowLeft: [-nudge, 0],
      ArrowRight: [nudge, 0],
      ArrowUp: [0, -nudge],
      ArrowDown: [0, nudge],
    }[event.key];
    moveBy(editor, [id], [], { x: d?.[0] ?? 0, y: d?.[1] ?? 0 });
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (event.key) {
    case "ArrowDown":
      focus(rows[Math.min(rows.length - 1, at + 1)]);
      return true;
    case "ArrowUp":
      focus(rows[Math.max(0, at - 1)]);
      return true;
    case "ArrowLeft":
      if (edge !== undefined) focus(id);
      return true;
    case "ArrowRight":
      focus(edge === undefined ? rows[at + 1] : editor.drawing.edges.get(edge)?.to);
      return true;
    case "Home":
      focus(rows[0]);
      return true;
    case "End":
      focus(rows.at(-1));
      return true;
    case "Enter":
      openInspector(editor);
      return true;
    default:
      return edits && id !== "" && editKey(editor, event.key.toLowerCase(), id, edge);
  }
}

function editKey(editor: Editor, key: string, id: string, edge: string | undefined): boolean {
  switch (key) {
    case "a":
      addAfter(editor, id);
      return true;
    case "c":
      startConnecting(editor, id);
      return true;
    case "f2":
      editor.session.titleEdited.value = id;
      return true;
    case "delete":
    case "backspace":
      remove(
        editor,
        edge === undefined
          ? { nodes: [id], edges: [], notes: [], rejoin: false }
          : { nodes: [], edges: [edge], notes: [], rejoin: false },
      );
      return true;
    default:
      return false;
  }
}
