// Changes to what is there: move, connect, delete, disable, rename.

import { enterOps, outermost, withContent } from "../../core/frame.ts";
import type { Box, Point } from "../../core/geometry.ts";
import { COMPENSATE, type Edge } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import { choosersOf } from "../state/company.ts";
import type { Editor } from "../state/editor.ts";
import { freshID, nameOf, portsOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { addEdge, mainPort } from "./add.ts";

export function moveBy(
  editor: Editor,
  nodes: readonly string[],
  notes: readonly string[],
  d: Point,
  into?: string,
): void {
  // A container takes along what stands in it.
  const ops: Change[] = [...withContent(editor.drawing, nodes)].map((id) => {
    const place = editor.drawing.place(id);
    return { op: "node.move", id, value: { x: place.x + d.x, y: place.y + d.y } };
  });
  for (const id of notes) {
    const note = editor.drawing.notes.get(id);
    if (!note) continue;
    if (d.x !== 0) ops.push({ op: "note.set", id, path: "/x", value: note.x + d.x });
    if (d.y !== 0) ops.push({ op: "note.set", id, path: "/y", value: note.y + d.y });
  }
  const roots = outermost(editor.drawing, nodes);
  if (into !== undefined) ops.push(...enterOps(editor.drawing, roots, into));
  const n = roots.length + notes.length;
  const label = moveLabel(editor, roots, n, into);
  if (editor.commit(label, ops) && into !== undefined)
    editor.say(t("editor.said.done", { what: label }));
}

function moveLabel(
  editor: Editor,
  roots: readonly string[],
  n: number,
  into: string | undefined,
): string {
  if (into === "") return t("editor.do.leave", { n: roots.length });
  if (into !== undefined)
    return t("editor.do.enter", { n: roots.length, frame: nameOf(editor, into) });
  return n === 1 && roots[0]
    ? t("editor.do.move", { step: nameOf(editor, roots[0]) })
    : t("editor.do.moveMany", { n });
}

/** A frame in another size: the place of its corner and how large it is. */
export function resizeFrame(editor: Editor, id: string, box: Box | undefined): void {
  const { folded, x, y } = editor.drawing.place(id);
  const value = {
    ...(box === undefined ? {} : { w: box.w, h: box.h }),
    ...(folded === true ? { folded } : {}),
  };
  const ops: Change[] = [{ op: "node.size", id, value }];
  if (box !== undefined && (box.x !== x || box.y !== y))
    ops.push({ op: "node.move", id, value: { x: box.x, y: box.y } });
  editor.commit(t("editor.do.resizeFrame", { step: nameOf(editor, id) }), ops);
}

export function fold(editor: Editor, id: string, folded: boolean): void {
  const { w, h, x, y } = editor.drawing.place(id);
  const value = {
    ...(w === undefined ? {} : { w }),
    ...(h === undefined ? {} : { h }),
    ...(folded ? { folded } : {}),
  };
  const ops: Change[] = [{ op: "node.size", id, value }];
  // A frame that fits its content lies where that is: the card takes its corner.
  const box = folded ? editor.kernel.worldBox(id) : undefined;
  if (box !== undefined && (box.x !== x || box.y !== y))
    ops.push({ op: "node.move", id, value: { x: Math.round(box.x), y: Math.round(box.y) } });
  editor.commit(
    t(folded ? "editor.do.fold" : "editor.do.unfold", { step: nameOf(editor, id) }),
    ops,
  );
}

export function connect(editor: Editor, from: string, port: string, to: string): boolean {
  const done = editor.commit(t("editor.do.connect"), [addEdge(from, port, to)]);
  if (done)
    editor.say(t("editor.said.connected", { from: nameOf(editor, from), to: nameOf(editor, to) }));
  return done;
}

/** Puts an end of an edge elsewhere, keeping the edge. */
export function reconnect(editor: Editor, id: string, next: Omit<Edge, "id">): void {
  const was = editor.drawing.edges.get(id);
  if (!was) return;
  const ops: Change[] = [];
  if (was.from !== next.from && was.port !== next.port) {
    // Two steps could meet an edge that is there already; one edge is one op.
    ops.push({ op: "edge.del", id }, { op: "edge.add", id, value: next });
  } else {
    if (was.from !== next.from) ops.push({ op: "edge.set", id, path: "/from", value: next.from });
    if (was.port !== next.port) ops.push({ op: "edge.set", id, path: "/port", value: next.port });
    if (was.to !== next.to) ops.push({ op: "edge.set", id, path: "/to", value: next.to });
  }
  if (editor.commit(t("editor.do.reconnect"), ops))
    editor.say(
      t("editor.said.connected", { from: nameOf(editor, next.from), to: nameOf(editor, next.to) }),
    );
}

export type Doomed = {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
  readonly notes: readonly string[];
  /** Join what a deleted line connected. */
  readonly rejoin: boolean;
};

/** Deletes; what somebody else has chosen only after a question. */
export function remove(editor: Editor, what: Doomed): void {
  const others = choosersOf(editor, withContent(editor.drawing, what.nodes));
  const names = [...new Set(others.map((p) => p.name))];
  const go = (): void => removeNow(editor, what);
  if (names.length === 0) {
    go();
    return;
  }
  editor.session.doomed.value = { who: names.join(", "), go };
  editor.session.dialog.value = "deleteShared";
}

function removeNow(editor: Editor, what: Doomed): void {
  const roots = outermost(editor.drawing, what.nodes);
  // What stands in a container goes by name, so that others' changes to it are noticed.
  const gone = withContent(editor.drawing, roots);
  const ops: Change[] = [];
  for (const id of what.edges) {
    const edge = editor.drawing.edges.get(id);
    if (edge && !gone.has(edge.from) && !gone.has(edge.to)) ops.push({ op: "edge.del", id });
  }
  for (const id of [...gone].reverse()) ops.push({ op: "node.del", id });
  for (const id of what.notes) ops.push({ op: "note.del", id });
  if (what.rejoin) ops.push(...joinedPast(editor, gone));
  const label = removalLabel(editor, roots, what);
  if (editor.commit(label, ops)) editor.say(t("editor.said.done", { what: label }));
}

function removalLabel(editor: Editor, gone: readonly string[], what: Doomed): string {
  const only = gone[0];
  if (gone.length === 1 && only !== undefined)
    return t("editor.do.delete", { step: nameOf(editor, only) });
  if (gone.length > 1) return t("editor.do.deleteMany", { n: gone.length });
  return what.notes.length > 0 ? t("editor.do.deleteNote") : t("editor.do.deleteEdge");
}

/** Edges that lead past the deleted steps, wherever the way on is clear. */
function joinedPast(editor: Editor, gone: ReadonlySet<string>): Change[] {
  const made: Change[] = [];
  const seen = new Set<string>();
  for (const edge of editor.drawing.edges.values()) {
    if (gone.has(edge.from) || !gone.has(edge.to) || edge.port === COMPENSATE) continue;
    const ends = [...wayOut(editor, edge.to, gone)];
    const to = ends[0];
    const name = `${edge.from}:${edge.port}:${to}`;
    if (ends.length !== 1 || to === undefined || to === edge.from || seen.has(name)) continue;
    if (editor.drawing.outOf(edge.from, edge.port).some((e) => e.to === to)) continue;
    seen.add(name);
    made.push(addEdge(edge.from, edge.port, to));
  }
  return made;
}

function wayOut(editor: Editor, start: string, gone: ReadonlySet<string>): ReadonlySet<string> {
  const ends = new Set<string>();
  const seen = new Set([start]);
  const queue = [start];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const edge of editor.drawing.out(id)) {
      if (!gone.has(edge.to)) ends.add(edge.to);
      else if (!seen.has(edge.to)) {
        seen.add(edge.to);
        queue.push(edge.to);
      }
    }
  }
  return ends;
}

/** One step was laid on an edge: it moves there and the edge leads through it. */
export function insertOnEdge(editor: Editor, id: string, edgeID: string, d: Point): void {
  const node = editor.drawing.nodes.get(id);
  const edge = editor.drawing.edges.get(edgeID);
  if (!node || !edge) return;
  const place = editor.drawing.place(id);
  const on = mainPort(portsOf(editor, node));
  const scope = editor.drawing.parent(edge.to) ?? "";
  const ops: Change[] = [
    { op: "node.move", id, value: { x: place.x + d.x, y: place.y + d.y } },
    ...enterOps(editor.drawing, [id], scope),
    { op: "edge.set", id: edgeID, path: "/to", value: id },
  ];
  if (on) ops.push(addEdge(id, on.name, edge.to));
  if (editor.commit(t("editor.do.insert", { step: nameOf(editor, id) }), ops))
    editor.say(t("editor.said.inserted", { step: nameOf(editor, id) }));
}

/** Disables steps that pass their input on; what starts a run or holds others cannot. */
export function toggleDisabled(editor: Editor, all: readonly string[]): void {
  const ids = all.filter((id) => {
    const spec = editor.spec(editor.drawing.nodes.get(id)?.kind ?? "");
    return spec?.work !== "trigger" && spec?.container !== true;
  });
  if (ids.length === 0) {
    editor.toast(t("editor.disable.nothing"));
    return;
  }
  const on = !ids.every((id) => editor.drawing.nodes.get(id)?.disabled === true);
  const ops = ids.map(
    (id): Change => ({ op: "node.set", id, path: "/disabled", ...(on ? { value: true } : {}) }),
  );
  const label = on
    ? t("editor.do.disable", { n: ids.length })
    : t("editor.do.enable", { n: ids.length });
  if (editor.commit(label, ops)) editor.say(t("editor.said.done", { what: label }));
}

/** Pins what the steps gave last, or takes the pins away. */
export function togglePin(editor: Editor, ids: readonly string[]): void {
  const pinned = ids.every((id) => editor.drawing.place(id).pin !== undefined);
  const samples = editor.session.samples.value.nodes;
  const ops: Change[] = [];
  for (const id of ids) {
    const node = editor.drawing.nodes.get(id);
    const output = node ? samples[node.key]?.output : undefined;
    if (pinned) ops.push({ op: "node.set", id, path: "/pin" });
    else if (output !== undefined && output !== null)
      ops.push({ op: "node.set", id, path: "/pin", value: output });
  }
  if (ops.length === 0) {
    editor.toast(t("editor.pin.nothing"));
    return;
  }
  const label = pinned
    ? t("editor.do.unpin", { n: ops.length })
    : t("editor.do.pin", { n: ops.length });
  if (editor.commit(label, ops)) editor.say(t("editor.said.done", { what: label }));
}

export function rename(editor: Editor, id: string, title: string): void {
  const node = editor.drawing.nodes.get(id);
  if (!node) return;
  const clean = title.trim();
  const plain = clean === "" || clean === specOf(editor, node).title;
  editor.commit(t("editor.do.rename"), [
    { op: "node.set", id, path: "/title", ...(plain ? {} : { value: clean }) },
  ]);
}

/** A note at a place, or in the middle of what is seen. */
export function addNote(editor: Editor, at: Point | undefined): void {
  const id = freshID();
  const middle = at ?? editor.kernel.center();
  const value = {
    x: Math.round(middle.x / 8) * 8,
    y: Math.round(middle.y / 8) * 8,
    w: 240,
    h: 120,
    text: "",
  };
  if (!editor.commit(t("editor.do.note"), [{ op: "note.add", id, value }])) return;
  editor.kernel.select({ notes: [id] });
  editor.session.noteEdited.value = id;
}
