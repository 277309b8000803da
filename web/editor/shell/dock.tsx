// Tools at the lower edge of the canvas, and the overview with the zoom.

import { useEffect, useRef } from "preact/hooks";
import type { Command } from "../../core/keymap.ts";
import { runCommand } from "../actions/run.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { dataShown, toggleData } from "../traffic/data.ts";
import { keyOf } from "./keys.ts";

function Tool({
  command,
  icon,
  label,
  pressed,
  disabled = false,
}: {
  readonly command: Command;
  readonly icon: string;
  readonly label: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
}) {
  const editor = useEditor();
  const key = keyOf(command);
  const words = key === undefined ? label : `${label} (${key})`;
  return (
    <button
      type="button"
      aria-pressed={pressed}
      aria-label={words}
      title={words}
      disabled={disabled}
      onClick={() => void runCommand(editor, command)}
    >
      <Icon name={icon} />
    </button>
  );
}

export function Dock() {
  const editor = useEditor();
  const { session } = editor;
  const readOnly = session.readOnly.value;
  const undo = session.undoable.value;
  const redo = session.redoable.value;
  const tool = session.tool.value;
  return (
    <div class="ed-dock" role="toolbar" aria-label={t("editor.dock")}>
      <Tool
        command="toolSelect"
        icon="mouse-pointer-2"
        label={t("editor.tool.select")}
        pressed={tool === "select"}
      />
      <Tool
        command="toolHand"
        icon="hand"
        label={t("editor.tool.hand")}
        pressed={tool === "hand"}
      />
      {/* A mouse needs no tool for it. */}
      <button
        type="button"
        class="ed-coarse"
        aria-pressed={tool === "area"}
        aria-label={t("editor.tool.area")}
        title={t("editor.tool.area")}
        onClick={() => editor.kernel.setTool(tool === "area" ? "select" : "area")}
      >
        <Icon name="square-dashed-mouse-pointer" />
      </button>
      <button
        type="button"
        aria-pressed={dataShown.value}
        aria-label={t("editor.tool.data")}
        title={t("editor.tool.data")}
        onClick={() => toggleData(editor)}
      >
        <Icon name="braces" />
      </button>
      {readOnly ? null : (
        <>
          <i />
          <Tool command="add" icon="square-plus" label={t("editor.tool.add")} />
          <Tool command="note" icon="sticky-note" label={t("editor.tool.note")} />
          <Tool
            command="tidy"
            icon="align-horizontal-distribute-center"
            label={t("editor.tool.tidy")}
          />
          <button
            type="button"
            aria-label={t("editor.tool.describe")}
            title={t("editor.tool.describe")}
            onClick={() => (session.dialog.value = "describe")}
          >
            <Icon name="sparkles" />
          </button>
          <i />
          <Tool
            command="undo"
            icon="undo-2"
            label={
              undo === undefined
                ? t("editor.tool.undo")
                : t("editor.tool.undoWhat", { label: undo })
            }
            disabled={undo === undefined}
          />
          <Tool
            command="redo"
            icon="redo-2"
            label={
              redo === undefined
                ? t("editor.tool.redo")
                : t("editor.tool.redoWhat", { label: redo })
            }
            disabled={redo === undefined}
          />
        </>
      )}
    </div>
  );
}

export function Overview() {
  const { kernel, session } = useEditor();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? kernel.attachMinimap(canvas.current) : undefined), [kernel]);
  return (
    <>
      <div class="ed-mini">
        <canvas
          ref={canvas}
          aria-label={t("editor.overview")}
          role="img"
          width={176}
          height={104}
        />
      </div>
      <div class="ed-zoom" role="group" aria-label={t("editor.zoom")}>
        <button
          type="button"
          aria-label={t("editor.zoom.out")}
          title={t("editor.zoom.out")}
          onClick={() => kernel.run("zoomOut")}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="tn ed-percent"
          aria-label={t("editor.zoom.actual", { n: Math.round(session.zoom.value * 100) })}
          title={t("editor.zoom.actualHint")}
          onClick={() => kernel.run("zoomActual")}
        >
          {Math.round(session.zoom.value * 100)}%
        </button>
        <button
          type="button"
          aria-label={t("editor.zoom.in")}
          title={t("editor.zoom.in")}
          onClick={() => kernel.run("zoomIn")}
        >
          <Icon name="plus" />
        </button>
        <i />
        <button
          type="button"
          aria-label={t("editor.zoom.fit")}
          title={t("editor.zoom.fit")}
          onClick={() => kernel.run("fitAll")}
        >
          <Icon name="maximize" />
        </button>
      </div>
    </>
  );
}
