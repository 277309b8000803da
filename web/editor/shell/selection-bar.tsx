// The small toolbar above what is selected.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Box } from "../../core/geometry.ts";
import { union } from "../../core/geometry.ts";
import { COMPENSATE, type Edge } from "../../core/graph.ts";
import { duplicate } from "../actions/copies.ts";
import { conditionOf, editCondition, editLabel } from "../actions/edge.ts";
import { remove, toggleDisabled, togglePin } from "../actions/edit.ts";
import { runToHere, toggleBreaks } from "../actions/test.ts";
import { tidy } from "../actions/tidy.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";

export function SelectionBar() {
  const editor = useEditor();
  const { session } = editor;
  const { nodes, edges, notes } = session.selection.value;
  const bar = useRef<HTMLDivElement>(null);
  void session.moved.value;
  void session.revision.value;
  const hidden =
    nodes.size + edges.size + notes.size === 0 ||
    session.readOnly.value ||
    session.gesture.value ||
    session.quickAdd.value !== undefined ||
    session.titleEdited.value !== undefined ||
    session.noteEdited.value !== undefined ||
    session.connecting.value !== undefined;
  useLayoutEffect(() => {
    if (!hidden && bar.current) place(editor, bar.current);
  });
  if (hidden) return null;
  const ids = [...nodes];
  const [edgeID] = edges;
  const edge =
    edges.size === 1 && nodes.size === 0 ? editor.drawing.edges.get(edgeID ?? "") : undefined;
  const disabled = ids.length > 0 && ids.every((id) => editor.drawing.nodes.get(id)?.disabled);
  const pinned = ids.length > 0 && ids.every((id) => editor.drawing.place(id).pin !== undefined);
  return (
    <div class="ed-selbar" role="toolbar" aria-label={t("editor.selbar")} ref={bar}>
      {edge ? (
        <BarButton
          icon="plus"
          label={t("editor.selbar.insert")}
          run={() => (session.quickAdd.value = { edge: edge.id })}
        />
      ) : null}
      {edge ? <EdgeButtons edge={edge} /> : null}
      {ids.length > 0 ? (
        <>
          <BarButton
            icon={disabled ? "power" : "power-off"}
            label={t(disabled ? "editor.selbar.enable" : "editor.selbar.disable")}
            run={() => toggleDisabled(editor, ids)}
          />
          <BarButton
            icon={pinned ? "pin-off" : "pin"}
            label={t(pinned ? "editor.selbar.unpin" : "editor.selbar.pin")}
            run={() => togglePin(editor, ids)}
          />
          <BarButton
            icon="circle-pause"
            label={t("editor.selbar.break")}
            run={() => toggleBreaks(editor, ids)}
          />
          {ids.length === 1 && ids[0] !== undefined ? (
            <BarButton
              icon="step-forward"
              label={t("editor.selbar.runTo")}
              run={() => runToHere(editor, ids[0])}
            />
          ) : null}
          {ids.length === 1 ? (
            <BarButton
              icon="message-square"
              label={t("editor.command.comment")}
              run={() => session.talk.value?.write(ids[0])}
            />
          ) : null}
          <BarButton
            icon="copy"
            label={t("editor.selbar.duplicate")}
            run={() => void duplicate(editor, nodes, notes, { x: 32, y: 32 })}
          />
        </>
      ) : null}
      {ids.length > 1 ? (
        <BarButton
          icon="group"
          label={t("editor.menu.wrap")}
          run={() => editor.kernel.run("group")}
        />
      ) : null}
      {ids.length > 1 ? (
        <BarButton
          icon="align-horizontal-distribute-center"
          label={t("editor.selbar.tidy")}
          run={() => void tidy(editor)}
        />
      ) : null}
      <BarButton
        icon="trash-2"
        label={t("editor.selbar.delete")}
        danger
        run={() =>
          remove(editor, { nodes: ids, edges: [...edges], notes: [...notes], rejoin: false })
        }
      />
    </div>
  );
}

function EdgeButtons({ edge }: { readonly edge: Edge }) {
  const editor = useEditor();
  const step = nameOf(editor, edge.to);
  const undoes = edge.port === COMPENSATE;
  return (
    <>
      <BarButton
        icon="tag"
        label={t(edge.label ? "editor.selbar.relabel" : "editor.selbar.label")}
        run={() => editLabel(editor)}
      />
      {undoes ? null : (
        <BarButton
          icon="split"
          label={t(
            conditionOf(editor, edge) === undefined
              ? "editor.selbar.addCondition"
              : "editor.selbar.condition",
          )}
          run={() => editCondition(editor, edge)}
        />
      )}
      {undoes ? null : (
        <BarButton
          icon="circle-pause"
          label={t("editor.selbar.breakBefore", { step })}
          pressed={editor.session.breaks.value.has(edge.to)}
          run={() => toggleBreaks(editor, [edge.to])}
        />
      )}
    </>
  );
}

function BarButton({
  icon,
  label,
  danger = false,
  pressed,
  run,
}: {
  readonly icon: string;
  readonly label: string;
  readonly danger?: boolean;
  readonly pressed?: boolean;
  run(): void;
}) {
  return (
    <button
      type="button"
      class={danger ? "dng" : undefined}
      aria-pressed={pressed}
      aria-label={label}
      title={label}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
}

const gap = 12;

/** Above the selection, or below it where there is no room. */
function place(editor: Editor, bar: HTMLElement): void {
  const box = selectionBox(editor);
  bar.hidden = box === undefined;
  if (!box) return;
  const room = editor.kernel.root.getBoundingClientRect();
  const x = Math.max(
    8,
    Math.min(room.width - bar.offsetWidth - 8, box.x + box.w / 2 - bar.offsetWidth / 2),
  );
  const above = box.y - bar.offsetHeight - gap;
  const y = above >= 8 ? above : Math.min(room.height - bar.offsetHeight - 8, box.y + box.h + gap);
  bar.hidden = box.x + box.w < 0 || box.y + box.h < 0 || box.x > room.width || box.y > room.height;
  bar.style.left = `${Math.round(x)}px`;
  bar.style.top = `${Math.round(y)}px`;
}

function selectionBox(editor: Editor): Box | undefined {
  const { nodes, edges, notes } = editor.session.selection.value;
  const boxes = [...nodes, ...notes].flatMap((id) => editor.kernel.screenBox(id) ?? []);
  if (boxes.length > 0) return union(boxes);
  const [edge] = edges;
  const middle = edge === undefined ? undefined : editor.kernel.edgeMiddle(edge);
  return middle && { x: middle.x, y: middle.y, w: 0, h: 0 };
}
