// The data on the canvas: under each card what it gave last, and when; on each
// line how many tokens took it in the last run.

import { effect, signal } from "@preact/signals";
import type { Edge } from "../../core/graph.ts";
import { inShort } from "../../core/in-short.ts";
import { ago } from "../../ui/ago.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

const place = "sb-data";
const room = 30; // signs under a card

export const dataShown = signal(kept());

function kept(): boolean {
  try {
    return localStorage.getItem(place) === "1";
  } catch {
    return false;
  }
}

export function toggleData(editor: Editor): void {
  dataShown.value = !dataShown.value;
  try {
    localStorage.setItem(place, dataShown.value ? "1" : "0");
  } catch {
    // It lasts as long as the page.
  }
  if (!dataShown.value && !editor.session.test.value) editor.kernel.clearStatus();
  editor.say(t(dataShown.value ? "editor.data.shown" : "editor.data.hidden"));
}

/** How many tokens took a line in the last run; undefined: none did, or there was none. */
export function passedOn(editor: Editor, edge: Edge): number | undefined {
  const key = editor.kernel.drawing.nodes.get(edge.from)?.key;
  const { last } = editor.session.samples.value;
  return last?.ways.find((way) => way.node === key && way.port === edge.port)?.n;
}

/** Keeps the lines under the cards, and the counts on the lines, up to date. */
export function bindData(editor: Editor): void {
  const { session, kernel } = editor;
  effect(() => {
    void session.revision.value;
    void session.specs.value;
    const seen = session.samples.value.nodes;
    // A run that is watched says more.
    if (!dataShown.value || session.test.value || session.comparison.value) return;
    for (const node of kernel.drawing.nodes.values()) {
      const pin = kernel.drawing.place(node.id).pin;
      const sample = seen[node.key];
      const value = pin ?? sample?.output;
      const at = pin === undefined && sample?.at ? new Date(sample.at) : undefined;
      kernel.setStatus(
        node.id,
        "idle",
        value === undefined || value === null
          ? { left: t("editor.data.nothing") }
          : { left: inShort(value, room), right: at && ago(Date.now() - at.getTime(), at) },
      );
    }
    countOnLines(editor);
  });
}

function countOnLines(editor: Editor): void {
  for (const edge of editor.kernel.drawing.edges.values()) {
    const n = passedOn(editor, edge);
    const label = edge.label === undefined ? "" : `${edge.label} `;
    editor.kernel.setLabel(edge.id, n === undefined ? undefined : `${label}×${n}`);
  }
}
