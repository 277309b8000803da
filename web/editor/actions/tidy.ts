// Tidy: the layered layout over the selection or over everything.

import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

export async function tidy(editor: Editor): Promise<void> {
  const { tidy: tidyOps, TIDY_BUDGET } = await import("../../core/tidy.ts");
  const { nodes } = editor.session.selection.value;
  const some = nodes.size > 1 ? nodes : undefined;
  const end = performance.now() + TIDY_BUDGET;
  const ops = tidyOps(
    editor.drawing,
    (kind) => editor.spec(kind),
    some,
    () => end - performance.now(),
  );
  if (ops.length === 0) {
    editor.toast(t("editor.tidy.nothing"));
    return;
  }
  if (!editor.commit(t("editor.do.tidy", { n: ops.length }), ops)) return;
  if (some) editor.kernel.reveal(some, true);
  else editor.kernel.fit(undefined, true);
  editor.say(t("editor.said.done", { what: t("editor.do.tidy", { n: ops.length }) }));
}
