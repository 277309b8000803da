// What can be done with a line: its label, and the condition that it stands for.

import type { Edge } from "../../core/graph.ts";
import type { Editor } from "../state/editor.ts";
import { specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { addStep } from "./add.ts";
import { openInspector } from "./bind.ts";

/** The field that holds the label. */
export const labelField = "ed-edgelabel";

export function editLabel(editor: Editor): void {
  editor.session.inspector.value = true;
  const ask = (left: number) => {
    const field = document.getElementById(labelField);
    if (field instanceof HTMLInputElement) field.select();
    else if (left > 0) requestAnimationFrame(() => ask(left - 1));
  };
  ask(30);
}

export function setLabel(editor: Editor, edge: Edge, label: string): void {
  editor.commit(
    t("editor.do.label"),
    [{ op: "edge.set", id: edge.id, path: "/label", value: label }],
    `${edge.id}/label`,
  );
}

/** The setting of the step before that decides about this line. */
export function conditionOf(editor: Editor, edge: Edge): string | undefined {
  const node = editor.drawing.nodes.get(edge.from);
  if (!node) return undefined;
  const spec = specOf(editor, node);
  if (spec.ports.some((p) => p.name === edge.port && p.failure)) return undefined;
  if (spec.ports_of !== undefined) return `/config/${spec.ports_of.field.split(".")[0]}`;
  const fields = Object.keys(spec.config.properties ?? {});
  return spec.ports.filter((p) => !p.failure).length > 1 && fields.includes("condition")
    ? "/config/condition"
    : undefined;
}

/** Leads to the condition of a line; one without any gets a step that asks. */
export function editCondition(editor: Editor, edge: Edge): void {
  const field = conditionOf(editor, edge);
  if (field === undefined) {
    const spec = editor.spec("if");
    if (spec && addStep(editor, spec, { edge: edge.id }) !== undefined) openInspector(editor);
    return;
  }
  const { session, kernel } = editor;
  kernel.select({ nodes: [edge.from] });
  session.inspector.value = true;
  session.tab.value = "configure";
  session.focusField.value = field;
}
