// Pasting and duplicating: fresh ids and keys, and the expressions follow.

import type { Clip, Pasted } from "../../core/clip.ts";
import { clipOf, paste } from "../../core/clip.ts";
import { renamesIn } from "../../core/expr-rename.ts";
import { outermost } from "../../core/frame.ts";
import type { Point } from "../../core/geometry.ts";
import type { JsonObject, NodeDoc } from "../../core/graph.ts";
import { setBelow } from "../../core/json-set.ts";
import type { Change } from "../../core/touch.ts";
import type { Editor } from "../state/editor.ts";
import { freshID } from "../state/words.ts";
import { t } from "../strings.ts";

type Where = {
  readonly at?: Point | undefined;
  /** Or moved by this much from where they were. */
  readonly by?: Point | undefined;
  readonly keepLinks: boolean;
  readonly into?: string | undefined;
};

/** The operations that add the clip's steps under fresh ids and keys. */
export function pasted(
  editor: Editor,
  clip: Clip,
  where: Where,
): { readonly made: Pasted; readonly ops: readonly Change[] } {
  const made = paste(editor.drawing, clip, {
    newId: freshID,
    at: where.at && { x: Math.round(where.at.x / 8) * 8, y: Math.round(where.at.y / 8) * 8 },
    offset: where.by && { dx: where.by.x, dy: where.by.y },
    keepLinks: where.keepLinks,
    into: where.into ?? (where.at && (editor.kernel.scopeFor({ at: where.at }) ?? "")),
  });
  // A configuration does not know its kind, so the keys are put right here.
  const renamed = new Map<string, string>();
  for (const [before, after] of made.keys) if (before !== after) renamed.set(before, after);
  const ops = made.ops.map((op) =>
    op.op === "node.add" ? { ...op, value: withKeys(editor, op.value as NodeDoc, renamed) } : op,
  );
  return { made, ops };
}

/** Adds the clip's steps; one gesture. */
export function pasteClip(editor: Editor, clip: Clip, where: Where, label?: string): void {
  const { made, ops } = pasted(editor, clip, where);
  const n = made.nodes.length + made.notes.length;
  if (!editor.commit(label ?? t("editor.do.paste", { n }), ops)) return;
  // A container stands for what is in it.
  editor.kernel.select({ nodes: outermost(editor.drawing, made.nodes), notes: made.notes });
  editor.say(t("editor.said.pasted", { n }));
}

function withKeys(editor: Editor, doc: NodeDoc, renamed: ReadonlyMap<string, string>): NodeDoc {
  const spec = editor.spec(doc.kind);
  let config: JsonObject | undefined = doc.config;
  for (const [before, after] of renamed) {
    for (const { pointer, text } of renamesIn(spec?.config ?? {}, config, before, after)) {
      config = setBelow(config ?? {}, "/config", `/config${pointer}`, text).next as JsonObject;
    }
  }
  return config === undefined ? doc : { ...doc, config };
}

export function duplicate(
  editor: Editor,
  nodes: Iterable<string>,
  notes: Iterable<string>,
  by: Point,
  into?: string,
): void {
  const clip = clipOf(editor.drawing, nodes, notes);
  pasteClip(
    editor,
    clip,
    { by, keepLinks: false, into },
    t("editor.do.duplicate", { n: clip.nodes.length + clip.notes.length }),
  );
}
