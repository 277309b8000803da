// The inspector at the right: settings of what is selected.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { loadEditor } from "../expr/field.tsx";
import { Icon } from "../icon.tsx";
import {
  inspectorWidth,
  keepInspectorWidth,
  widthDefault,
  widthMax,
  widthMin,
} from "../shell/width.ts";
import { t } from "../strings.ts";
import { EdgeInspector, ManyInspector, NoteInspector, WorkflowInspector } from "./others.tsx";
import { StepInspector } from "./step.tsx";

export function Inspector() {
  const { session } = useEditor();
  if (!session.inspector.value) return null;
  return <Frame>{session.loading.value === "ready" ? <Subject /> : null}</Frame>;
}

function Subject() {
  const editor = useEditor();
  void editor.session.revision.value;
  const { nodes, edges, notes } = editor.session.selection.value;
  const present = [...nodes].filter((id) => editor.drawing.nodes.has(id));
  const [one] = present;
  if (present.length > 1) return <ManyInspector ids={present} />;
  const node = one === undefined ? undefined : editor.drawing.nodes.get(one);
  if (node) return <StepInspector key={node.id} node={node} />;
  const [edgeID] = edges;
  const edge = edgeID === undefined ? undefined : editor.drawing.edges.get(edgeID);
  if (edge) return <EdgeInspector key={edge.id} edge={edge} />;
  const [noteID] = notes;
  const note = noteID === undefined ? undefined : editor.drawing.notes.get(noteID);
  if (note && noteID !== undefined) return <NoteInspector key={noteID} id={noteID} note={note} />;
  return <WorkflowInspector />;
}

function Frame({ children }: { readonly children: ComponentChildren }) {
  const editor = useEditor();
  const [width, setWidth] = useState(inspectorWidth);
  useEffect(() => void loadEditor(), []);
  const resize = (next: number) => setWidth(keepInspectorWidth(next));
  return (
    <aside
      class="ed-insp"
      aria-label={t("editor.region.inspector")}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || e.defaultPrevented || e.isComposing) return;
        if (editor.session.narrow.value) editor.session.inspector.value = false;
        editor.kernel.focusCanvas();
      }}
    >
      <div
        class="ed-grab"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={t("editor.inspector.resize")}
        aria-valuenow={width}
        aria-valuemin={widthMin}
        aria-valuemax={widthMax}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={(e) => {
          if (e.currentTarget.hasPointerCapture(e.pointerId)) resize(window.innerWidth - e.clientX);
        }}
        onDblClick={() => resize(widthDefault)}
        onKeyDown={(e) => {
          if (e.key === "ArrowLeft") resize(width + 16);
          else if (e.key === "ArrowRight") resize(width - 16);
        }}
      />
      {editor.session.narrow.value ? <CloseSheet /> : null}
      {children}
    </aside>
  );
}

/** Where the inspector lies over the canvas it has to go away again. */
function CloseSheet() {
  const editor = useEditor();
  return (
    <button
      type="button"
      class="btn ghost sm sq ed-closesheet"
      aria-label={t("editor.inspector.close")}
      onClick={() => {
        editor.session.inspector.value = false;
        editor.kernel.focusCanvas();
      }}
    >
      <Icon name="x" />
    </button>
  );
}
