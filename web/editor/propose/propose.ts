// A change described in words: what a model proposes, until somebody accepts
// or drops it. Nothing of it is in the drawing before.

import type { Graph, Issue } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import { call, inWords } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

export type Proposal = {
  readonly wish: string;
  readonly summary: string;
  readonly ops: readonly Change[];
  readonly before: Graph;
  readonly graph: Graph;
  readonly issues: readonly Issue[];
  readonly new_issues: number;
  readonly model: string;
};

export type Assistant = {
  readonly chosen: boolean;
  readonly provider?: string;
  readonly model?: string;
};

export function readAssistant(): Promise<Assistant> {
  return call("GET", "/api/assistant");
}

/** Asks the model, once everything that was drawn is on the server. */
export async function propose(editor: Editor, wish: string): Promise<void> {
  await editor.settled();
  const path = `/api/workflows/${encodeURIComponent(editor.api.workflow)}/proposal`;
  const answer = await call<Omit<Proposal, "wish">>("POST", path, { wish });
  editor.session.proposal.value = { ...answer, wish, issues: answer.issues.map(inWords) };
}

/** Takes the change over, as one step of undo. */
export function accept(editor: Editor, proposal: Proposal): void {
  const { drawing, session } = editor;
  const there = new Set(drawing.nodes.keys());
  session.proposal.value = undefined;
  if (!editor.commit(t("editor.do.propose"), proposal.ops)) return;
  const added = [...editor.drawing.nodes.keys()].filter((id) => !there.has(id));
  editor.kernel.select({ nodes: added });
  if (added.length > 0) editor.kernel.reveal(added, true);
  editor.toast(t("editor.propose.done"), {
    action: { title: t("editor.command.undo"), run: () => editor.undo() },
  });
  editor.say(t("editor.propose.done"));
}

export function drop(editor: Editor): void {
  editor.session.proposal.value = undefined;
  editor.say(t("editor.propose.dropped"));
}
