// Parts of drawings that the workspace keeps under names: read, put in, saved.

import { clipOf as copied } from "../../core/clip.ts";
import type { Graph, NodeDoc, Spec } from "../../core/graph.ts";
import { clipOf, endsOf, graphOf } from "../../core/snippet.ts";
import type { Change } from "../../core/touch.ts";
import { addEdge, mainPort } from "../actions/add.ts";
import { pasted } from "../actions/paste.ts";
import { call } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import type { QuickAdd } from "../state/signals.ts";
import { portsOf } from "../state/words.ts";
import { t } from "../strings.ts";

export type Snippet = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly graph: Graph;
  /** It comes with the program. */
  readonly built_in: boolean;
  readonly by?: string;
};

const mark = "snippet:";

/** Reads what there is; what cannot be read leaves the list as it was. */
export async function loadSnippets(editor: Editor): Promise<void> {
  try {
    const { snippets } = await call<{ snippets: readonly Snippet[] }>("GET", "/api/snippets");
    editor.session.snippets.value = snippets;
  } catch {
    // They come with the next look.
  }
}

/** What the list of steps shows for a snippet. */
export function entryOf(snippet: Snippet): Spec {
  const port = { name: "success", title: "" };
  const steps = t("editor.snippet.steps", { n: snippet.graph.nodes.length });
  return {
    name: `${mark}${snippet.id}`,
    title: snippet.name,
    help: snippet.about || steps,
    subtitle: steps,
    category: "flow",
    tile: "saga",
    icon: "blocks",
    work: "inline",
    ports: [port],
    config: { type: "object" },
  } as unknown as Spec;
}

export function snippetOf(editor: Editor, entry: string): Snippet | undefined {
  return editor.session.snippets.value.find((one) => `${mark}${one.id}` === entry);
}

/** Puts a snippet where it is wanted, hung on what is there; one step of undo. */
export function addSnippet(editor: Editor, snippet: Snippet, where: QuickAdd): string | undefined {
  const { kernel, drawing } = editor;
  const near = { from: where.from, edge: where.edge, at: where.at, within: where.within };
  const to = where.to === undefined ? undefined : drawing.parent(where.to);
  const into = where.to === undefined ? kernel.scopeFor(near) : to;
  const clip = clipOf(snippet.graph);
  const at = kernel.placeFor(entryOf(snippet), near);
  const { made, ops } = pasted(editor, clip, { at, keepLinks: false, into: into ?? "" });
  const ids = new Map(clip.nodes.map((n, i) => [n.id, made.nodes[i]]));
  const main = (node: NodeDoc) => mainPort(portsOf(editor, node))?.name;
  const ends = endsOf(clip, main);
  const exit = clip.nodes.find((n) => n.id === ends.exit);
  const lines = joints(editor, where, {
    entry: ids.get(ends.entry ?? ""),
    exit: ids.get(exit?.id ?? ""),
    port: exit && main(exit),
  });
  kernel.dropPreview();
  if (!editor.commit(t("editor.do.snippet", { name: snippet.name }), [...ops, ...lines]))
    return undefined;
  const outer = clip.nodes.filter((n) => n.in === undefined);
  const nodes = outer.flatMap((n) => ids.get(n.id) ?? []);
  kernel.select({ nodes });
  kernel.reveal(nodes, true);
  editor.say(t("editor.said.done", { what: t("editor.do.snippet", { name: snippet.name }) }));
  return nodes[0];
}

type Ends = {
  readonly entry: string | undefined;
  readonly exit: string | undefined;
  readonly port: string | undefined;
};

/** The edges that hang it on what it was wanted at. */
function joints(editor: Editor, where: QuickAdd, { entry, exit, port }: Ends): Change[] {
  const ops: Change[] = [];
  const edge = editor.drawing.edges.get(where.edge ?? where.torn ?? "");
  if (where.edge !== undefined && edge) {
    if (entry === undefined) return [];
    ops.push({ op: "edge.set", id: edge.id, path: "/to", value: entry });
    if (exit !== undefined && port !== undefined) ops.push(addEdge(exit, port, edge.to));
    return ops;
  }
  if (edge) ops.push({ op: "edge.del", id: edge.id });
  if (where.from && entry !== undefined) ops.push(addEdge(where.from.node, where.from.port, entry));
  if (where.to !== undefined && exit !== undefined && port !== undefined)
    ops.push(addEdge(exit, port, where.to));
  return ops;
}

/** Keeps the chosen steps under a name. */
export async function saveSnippet(editor: Editor, name: string, about: string): Promise<void> {
  const { nodes, notes } = editor.session.selection.value;
  const graph = graphOf(copied(editor.drawing, nodes, notes), name);
  await call("POST", "/api/snippets", { name, about, graph });
  await loadSnippets(editor);
}

export async function renameSnippet(editor: Editor, one: Snippet): Promise<void> {
  const { name, about } = one;
  await call("PATCH", `/api/snippets/${encodeURIComponent(one.id)}`, { name, about });
  await loadSnippets(editor);
}

export async function deleteSnippet(editor: Editor, id: string): Promise<void> {
  await call("DELETE", `/api/snippets/${encodeURIComponent(id)}`);
  await loadSnippets(editor);
}
