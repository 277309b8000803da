// Wrapping steps into a container and taking containers apart.

import { defaults } from "../../core/form-schema.ts";
import { fitting } from "../../core/frame.ts";
import { union } from "../../core/geometry.ts";
import { dissolveOps, wrapOps, wrappable } from "../../core/group.ts";
import { keyFor } from "../../core/step-key.ts";
import type { Editor } from "../state/editor.ts";
import { freshID, nameOf } from "../state/words.ts";
import { t } from "../strings.ts";

/** Puts the steps into a new container of a kind, and asks for its name. */
export function wrap(editor: Editor, ids: readonly string[], kind = "group"): void {
  const { drawing } = editor;
  const spec = editor.spec(kind);
  // What starts a run has no place in a container.
  const chosen = wrappable(drawing, ids).filter(
    (id) => editor.spec(drawing.nodes.get(id)?.kind ?? "")?.work !== "trigger",
  );
  const body = union(chosen.flatMap((id) => editor.kernel.worldBox(id) ?? []));
  const [first] = chosen;
  if (spec === undefined || body === undefined || first === undefined) {
    editor.toast(t("editor.group.nothing"));
    return;
  }
  const id = freshID();
  const scope = drawing.parent(first);
  const { x, y } = fitting(body);
  const value = {
    key: keyFor(spec.title, (k) => drawing.byKey(k) !== undefined),
    kind,
    config: defaults(spec.config),
    x: Math.round(x),
    y: Math.round(y),
    ...(scope === undefined ? {} : { in: scope }),
  };
  const label = t("editor.do.wrap", { n: chosen.length });
  const ops = [{ op: "node.add", id, value }, ...wrapOps(drawing, chosen, id, freshID)];
  if (!editor.commit(label, ops)) return;
  editor.kernel.select({ nodes: [id] });
  editor.kernel.focus(id, true);
  editor.say(t("editor.said.done", { what: label }));
  editor.session.titleEdited.value = id;
}

/** Takes the containers among the steps apart; what stands in them stays. */
export function unwrap(editor: Editor, ids: readonly string[]): void {
  const { drawing } = editor;
  const [id] = ids.filter((one) => drawing.held(one).size > 0);
  if (id === undefined) {
    editor.toast(t("editor.group.none"));
    return;
  }
  const held = [...drawing.held(id)];
  const label = t("editor.do.unwrap", { step: nameOf(editor, id) });
  if (!editor.commit(label, dissolveOps(drawing, id, freshID))) return;
  editor.kernel.select({ nodes: held });
  editor.say(t("editor.said.done", { what: label }));
}
