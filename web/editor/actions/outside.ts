// Text from outside: copied steps, a cURL command, or a file of ours or of
// another tool, of which the person first sees what would come of it.

import { readClip } from "../../core/clip.ts";
import { isCurl, readCurl } from "../../core/curl.ts";
import type { Point } from "../../core/geometry.ts";
import type { Graph } from "../../core/graph.ts";
import { clipOf } from "../../core/snippet.ts";
import { fileMax, pick, readable, report, stem } from "../../importing/report.ts";
import type { Editor } from "../state/editor.ts";
import type { QuickAdd } from "../state/signals.ts";
import { t } from "../strings.ts";
import { addStep } from "./add.ts";
import { pasteClip } from "./paste.ts";

type Where = {
  readonly at: Point;
  readonly keepLinks: boolean;
  /** Where a single step goes instead. */
  readonly step?: QuickAdd | undefined;
};

export async function pasteText(
  editor: Editor,
  text: string,
  where: Where,
  name = "",
): Promise<void> {
  const clip = text.trimStart().startsWith("{") ? readClip(text) : undefined;
  if (clip) pasteClip(editor, clip, where);
  else if (readable(text)) await importText(editor, text, where, name);
  else if (!pasteCurl(editor, text, where.step ?? { at: where.at }))
    editor.toast(t("editor.paste.unknown"));
}

export async function dropFile(editor: Editor, file: File, at: Point): Promise<void> {
  if (file.size > fileMax) editor.toast(t("editor.paste.unknown"));
  else await pasteText(editor, await file.text(), { at, keepLinks: false }, stem(file));
}

/** Asks for a file. */
export function importFile(editor: Editor): void {
  pick((file) => void dropFile(editor, file, editor.kernel.center()));
}

async function importText(editor: Editor, text: string, where: Where, name: string): Promise<void> {
  const fault = (words: string) =>
    editor.toast(words || t("editor.paste.unknown"), { tone: "fail" });
  if (editor.session.readOnly.value) return;
  try {
    await report({
      text,
      name,
      fault,
      create: async ({ graph, name: title }) => {
        const { id } = await editor.api.create(title, graph);
        location.assign(`/w/${encodeURIComponent(id)}`);
      },
      insert: async ({ graph, name: title }) => {
        const label = t("editor.do.import", { name: title });
        pasteClip(editor, clipOf(graph as Graph), where, label);
        editor.kernel.reveal(editor.kernel.selection.nodes, true);
      },
    });
  } catch (error) {
    fault(error instanceof Error ? error.message : String(error));
  }
}

function pasteCurl(editor: Editor, text: string, where: QuickAdd): boolean {
  const made = isCurl(text) ? readCurl(text) : undefined;
  const spec = editor.spec("http");
  if (made === undefined || spec === undefined) return false;
  if (addStep(editor, spec, where, made) !== undefined && made.secret)
    editor.toast(t("editor.paste.secret"));
  return true;
}
