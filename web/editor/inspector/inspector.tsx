// The inspector at the right: settings of what is selected.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { loadEditor } from "../expr/field.tsx";
import { t } from "../strings.ts";
import { StepInspector } from "./step.tsx";
import { EdgeInspector, ManyInspector, NoteInspector, WorkflowInspector } from "./others.tsx";

const widthKey = "sb-inspector";
const widthMin = 320;
const widthMax = 560;
const widthDefault = 380;

export function Inspector() {
  const { session } = useEditor();
  if (!session.inspector.value) return null;
  return (
    <Frame>
      <Subject />
    </Frame>
  );
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
  const aside = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(keptWidth);
  useEffect(() => {
    aside.current?.style.setProperty("--ed-insp", `${width}px`);
  }, [width]);
  useEffect(() => void loadEditor(), []);
  const resize = (next: number) => {
    const clamped = Math.round(Math.max(widthMin, Math.min(widthMax, next)));
    setWidth(clamped);
    try {
      localStorage.setItem(widthKey, String(clamped));
    } catch {
      // The width lasts as long as the page.
    }
  };
  return (
    <aside
      class="ed-insp"
      ref={aside}
      aria-label={t("editor.region.inspector")}
      onKeyDown={(e) => {
        if (e.key === "Escape" && !e.defaultPrevented && !e.isComposing) editor.kernel.focusCanvas();
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
      {children}
    </aside>
  );
}

function keptWidth(): number {
  try {
    const kept = Number(localStorage.getItem(widthKey));
    return kept >= widthMin && kept <= widthMax ? kept : widthDefault;
  } catch {
    return widthDefault;
  }
}
