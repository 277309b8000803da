// Adding a step: free, after a port, before a step, or on an edge.

import { defaults } from "../../core/form-schema.ts";
import type { GraphNode, JsonObject, NodeDoc, Port, Spec } from "../../core/graph.ts";
import { keyFor } from "../../core/step-key.ts";
import { configOf, EXTERNAL, typeOf } from "../../core/task-type.ts";
import type { Change } from "../../core/touch.ts";
import { addSnippet, snippetOf } from "../snippets/snippets.ts";
import type { Editor } from "../state/editor.ts";
import type { QuickAdd } from "../state/signals.ts";
import { freshID, nameOf, portsOf } from "../state/words.ts";
import { t } from "../strings.ts";

/** What is known of a new step beforehand. */
export type Filled = {
  readonly title?: string | undefined;
  readonly config?: JsonObject | undefined;
};

/** The ops that add the step where it is wanted, and its id. */
export function addStepOps(
  editor: Editor,
  spec: Spec,
  where: QuickAdd,
  filled: Filled = {},
): { readonly id: string; readonly ops: readonly Change[] } {
  const id = freshID();
  const near = { from: where.from, edge: where.edge, at: where.at, within: where.within };
  const place = editor.kernel.placeFor(spec, near);
  const to = where.to === undefined ? undefined : editor.drawing.parent(where.to);
  const scope = where.to === undefined ? editor.kernel.scopeFor(near) : to;
  const key = keyFor(filled.title ?? spec.title, (k) => editor.drawing.byKey(k) !== undefined);
  const doc: Omit<NodeDoc, "id"> = {
    key,
    kind: spec.name,
    config: { ...defaults(spec.config), ...filled.config } as NonNullable<GraphNode["config"]>,
    ...(filled.title === undefined ? {} : { title: filled.title }),
    x: Math.round(place.x),
    y: Math.round(place.y),
    ...(scope === undefined ? {} : { in: scope }),
  };
  const node: GraphNode = { id, key: doc.key, kind: doc.kind, config: doc.config };
  return { id, ops: [{ op: "node.add", id, value: doc }, ...joints(editor, node, where)] };
}

/** The edges that hang the new step on what it was wanted at. */
function joints(editor: Editor, node: GraphNode, where: QuickAdd): Change[] {
  const spec = editor.spec(node.kind);
  const first = mainPort(portsOf(editor, node));
  const mayEnter = spec?.no_input !== true;
  const split = where.edge === undefined ? undefined : editor.drawing.edges.get(where.edge);
  if (split) {
    if (!mayEnter) return [];
    const on: Change[] = first ? [addEdge(node.id, first.name, split.to)] : [];
    return [{ op: "edge.set", id: split.id, path: "/to", value: node.id }, ...on];
  }
  const torn = where.torn === undefined ? undefined : editor.drawing.edges.get(where.torn);
  const ops: Change[] = [];
  if (where.from && mayEnter) {
    if (torn) ops.push({ op: "edge.set", id: torn.id, path: "/to", value: node.id });
    else ops.push(addEdge(where.from.node, where.from.port, node.id));
  }
  if (where.to !== undefined && first) {
    if (torn) ops.push({ op: "edge.del", id: torn.id });
    ops.push(addEdge(node.id, first.name, where.to));
  }
  return ops;
}

/** The port that a line goes on from. */
export function mainPort(ports: readonly Port[]): Port | undefined {
  return ports.find((p) => !p.failure);
}

export function addEdge(from: string, port: string, to: string): Change {
  return { op: "edge.add", id: freshID(), value: { from, port, to } };
}

/** Adds the step, selects it, and returns its id. */
export function addStep(
  editor: Editor,
  spec: Spec,
  where: QuickAdd,
  filled?: Filled,
): string | undefined {
  const { id, ops } = addStepOps(editor, spec, where, filled);
  editor.kernel.dropPreview();
  if (!editor.commit(t("editor.do.add", { step: spec.title }), ops)) return undefined;
  remember(spec.name);
  editor.kernel.select({ nodes: [id] });
  editor.kernel.focus(id, true);
  editor.kernel.reveal([id], true);
  editor.say(
    where.from
      ? t("editor.said.addedAfter", { step: spec.title, after: nameOf(editor, where.from.node) })
      : t("editor.said.added", { step: spec.title }),
  );
  return id;
}

/** Adds what an entry of the list stands for: a kind, what a worker does, or a snippet. */
export function addEntry(editor: Editor, entry: Spec, where: QuickAdd): string | undefined {
  const snippet = snippetOf(editor, entry.name);
  if (snippet) return addSnippet(editor, snippet, where);
  const type = typeOf(editor.session.taskTypes.value, entry.name);
  const base = type && editor.spec(EXTERNAL);
  return base
    ? addStep(editor, base, where, { title: type.title, config: configOf(type) })
    : addStep(editor, entry, where);
}

const recentKey = "sb-recent-steps";
const recentMax = 8;

/** Kinds that this person used last, newest first. */
export function recentKinds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(recentKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((k) => typeof k === "string") : [];
  } catch {
    return [];
  }
}

function remember(kind: string): void {
  try {
    localStorage.setItem(
      recentKey,
      JSON.stringify([kind, ...recentKinds().filter((k) => k !== kind)].slice(0, recentMax)),
    );
  } catch {
    // Without storage nothing is remembered.
  }
}
