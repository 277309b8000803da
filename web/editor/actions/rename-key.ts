// Another key for a step, wherever it is mentioned.

import { renameKey, renamesIn } from "../../core/expr-rename.ts";
import { member } from "../../core/form-schema.ts";
import type { Json } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

/**
 * Gives a step another key, and writes the new one wherever the old one is
 * mentioned: one gesture, one step of undo.
 */
export function renameKeyOf(editor: Editor, id: string, after: string): boolean {
  const node = editor.drawing.nodes.get(id);
  if (!node || node.key === after) return false;
  const ops: Change[] = [{ op: "node.set", id, path: "/key", value: after }];
  let mentions = 0;
  for (const other of editor.drawing.nodes.values()) {
    const spec = editor.spec(other.kind);
    for (const { pointer, text } of renamesIn(spec?.config ?? {}, other.config, node.key, after)) {
      ops.push({ op: "node.set", id: other.id, path: `/config${pointer}`, value: text });
      mentions += 1;
    }
    const task = renamedTask(other.task, node.key, after);
    if (task) {
      ops.push({ op: "node.set", id: other.id, path: "/task", value: task });
      mentions += 1;
    }
  }
  const done = editor.commit(t("editor.do.key", { key: after }), ops);
  if (done && mentions > 0) editor.toast(t("editor.key.rewritten", { n: mentions }));
  return done;
}

function renamedTask(task: unknown, before: string, after: string): Json | undefined {
  let changed = false;
  const next: Record<string, Json> = {};
  for (const name of ["queue", "priority", "type"]) {
    const value = member(task, name);
    if (value === undefined) continue;
    const text =
      typeof value === "string" ? renameKey(value, "value", before, after) : (value as Json);
    changed ||= text !== value;
    next[name] = text;
  }
  return changed ? next : undefined;
}
