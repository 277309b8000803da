// Taking steps out into a workflow of their own, which a call runs from then on.

import { renamesIn } from "../../core/expr-rename.ts";
import {
  type Extract,
  extracted,
  extractOf,
  type Refusal,
  replaceOps,
} from "../../core/extract.ts";
import { defaults } from "../../core/form-schema.ts";
import type { GraphNode, JsonObject } from "../../core/graph.ts";
import { wrappable } from "../../core/group.ts";
import { keyFor } from "../../core/step-key.ts";
import type { Change } from "../../core/touch.ts";
import { Api, ApiError, reasonOf } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import { freshID, nameOf } from "../state/words.ts";
import { t } from "../strings.ts";

export async function extract(editor: Editor, ids: readonly string[]): Promise<void> {
  const { drawing } = editor;
  const spec = editor.spec("call");
  const chosen = wrappable(drawing, ids).filter(
    (id) => editor.spec(drawing.nodes.get(id)?.kind ?? "")?.work !== "trigger",
  );
  const part = extractOf(drawing, chosen, (node, key) => mentions(editor, node, key));
  if (spec === undefined || "why" in part) {
    editor.toast(spec === undefined ? t("editor.extract.nothing") : words(part as Refusal));
    return;
  }
  const [first = ""] = chosen;
  const name = t("editor.extract.name", { step: nameOf(editor, first) });
  try {
    const made = await published(editor, extracted(drawing, part, name, freshID()), name);
    replace(editor, part, made, name);
  } catch (error) {
    const why = error instanceof ApiError ? reasonOf(error) : String(error);
    editor.toast(t("editor.extract.failed", { why }), { tone: "fail" });
  }
}

function mentions(editor: Editor, node: GraphNode, key: string): boolean {
  const schema = editor.spec(node.kind)?.config ?? {};
  return renamesIn(schema, node.config, key, `${key}_`).length > 0;
}

function words(refusal: Refusal): string {
  if (refusal.why === "uses" || refusal.why === "used")
    return t(`editor.extract.${refusal.why}`, { keys: refusal.keys.join(", ") });
  return t(`editor.extract.${refusal.why}`);
}

/** Makes the workflow and its first version: a call runs versions only. */
async function published(editor: Editor, graph: unknown, name: string): Promise<string> {
  const { id } = await editor.api.create(name, graph);
  const api = new Api(id);
  const { seq } = await api.draft();
  await api.publish(seq, t("editor.extract.note", { workflow: editor.drawing.name }));
  return id;
}

function replace(editor: Editor, part: Extract, workflow: string, name: string): void {
  const { drawing } = editor;
  const spec = editor.spec("call");
  const place = drawing.place(part.all[0] ?? "");
  const id = freshID();
  const key = keyFor(name, (k) => drawing.byKey(k) !== undefined);
  const call = {
    key,
    kind: "call",
    title: name,
    config: { ...defaults(spec?.config ?? {}), workflow } as JsonObject,
    x: place.x,
    y: place.y,
  };
  const ops: Change[] = replaceOps(drawing, part, call, id);
  if (part.exit !== undefined) ops.push(...renamed(editor, part, part.exit.key, key));
  const label = t("editor.do.extract", { n: part.all.length });
  if (!editor.commit(label, ops)) return;
  editor.kernel.select({ nodes: [id] });
  editor.kernel.reveal([id], true);
  editor.toast(t("editor.extract.done", { name }), {
    href: { title: t("editor.extract.open"), url: `/w/${encodeURIComponent(workflow)}` },
  });
  editor.say(t("editor.said.done", { what: label }));
}

/** Whoever read the last step's output reads the call's. */
function renamed(editor: Editor, part: Extract, before: string, after: string): Change[] {
  const gone = new Set(part.all);
  const ops: Change[] = [];
  for (const node of editor.drawing.nodes.values()) {
    if (gone.has(node.id)) continue;
    const schema = editor.spec(node.kind)?.config ?? {};
    for (const { pointer, text } of renamesIn(schema, node.config, before, after))
      ops.push({ op: "node.set", id: node.id, path: `/config${pointer}`, value: text });
  }
  return ops;
}
