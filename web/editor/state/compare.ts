// Two versions on one canvas, and a version put back as the draft. Loaded only
// when somebody asks for it.

import { type Diff, diff, opsBetween, together } from "../../core/diff.ts";
import type { Graph } from "../../core/graph.ts";
import type { Version } from "../net/api.ts";
import { t } from "../strings.ts";
import type { Editor } from "./editor.ts";

/** What one side is called in the address of the page. */
export const DRAFT = "draft";
/** Before the first version there was nothing. */
export const NOTHING = "none";

export type Side = {
  readonly id: string;
  readonly title: string;
  readonly graph: Graph;
  /** Position of the draft. */
  readonly seq?: number;
};

export type Comparison = {
  readonly before: Side;
  readonly after: Side;
  readonly diff: Diff;
  readonly versions: readonly Version[];
};

/** The two sides in an address: "a..b". */
export function sidesOf(address: string): readonly [string, string] {
  const [a = DRAFT, b = DRAFT] = address.split("..");
  return [a, b];
}

export function addressOf(editor: Editor, a: string, b: string): string {
  return `/w/${encodeURIComponent(editor.props.workflow.id)}?compare=${a}..${b}`;
}

export async function openComparison(editor: Editor, address: string): Promise<void> {
  const [a, b] = sidesOf(address);
  const [{ kinds }, before, after, { versions }] = await Promise.all([
    editor.api.kinds(),
    side(editor, a),
    side(editor, b),
    editor.api.versions(),
  ]);
  const { graph, marks } = together(before.graph, after.graph);
  editor.show(graph, kinds);
  editor.kernel.setMarks(marks);
  editor.session.comparison.value = {
    before,
    after,
    diff: diff(before.graph, after.graph),
    versions,
  };
  editor.session.panel.value = "changes";
  editor.kernel.fit();
}

async function side(editor: Editor, id: string): Promise<Side> {
  if (id === DRAFT) {
    const { graph, seq } = await editor.api.draft();
    editor.looked = seq;
    return { id, seq, title: t("editor.compare.draft"), graph: graph as Graph };
  }
  if (id === NOTHING)
    return {
      id,
      title: t("editor.compare.nothingYet"),
      graph: { signalbox: 1, name: editor.props.workflow.name, nodes: [], edges: [], layout: {} },
    };
  const { title, graph } = await kept(editor, id);
  return { id, title, graph };
}

/** What marks the id of a checkpoint among those of versions. */
export const CHECKPOINT = "c.";

/** A version or a checkpoint, with what it is called. */
async function kept(
  editor: Editor,
  id: string,
): Promise<{ readonly title: string; readonly what: string; readonly graph: Graph }> {
  if (id.startsWith(CHECKPOINT)) {
    const { name, graph } = await editor.api.checkpoint(id.slice(CHECKPOINT.length));
    const title = t("editor.compare.checkpoint", { name });
    return { title, what: title, graph: graph as Graph };
  }
  const { version, graph } = await editor.api.version(id);
  const n = version.number;
  return {
    title: t("editor.compare.version", { n }),
    what: t("editor.restore.version", { n }),
    graph: graph as Graph,
  };
}

/** Makes the draft what a version or checkpoint was, as one gesture that can be undone. */
export async function restoreVersion(editor: Editor, id: string): Promise<void> {
  history.replaceState(undefined, "", location.pathname);
  try {
    const { what, graph } = await kept(editor, id);
    const ops = opsBetween(editor.drawing.graph(), graph);
    if (ops.length === 0) {
      editor.toast(t("editor.restore.same", { what }));
      return;
    }
    if (!editor.commit(t("editor.do.restore", { what }), ops)) return;
    editor.kernel.fit();
    editor.toast(t("editor.restore.done", { what }), {
      action: { title: t("editor.command.undo"), run: () => editor.undo() },
    });
    editor.say(t("editor.restore.done", { what }));
  } catch {
    editor.toast(t("editor.restore.failed"), { tone: "fail" });
  }
}
