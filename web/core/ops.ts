// The operations that change a drawing, with the same meaning as on the
// server:
//
//   op           id    path                        value
//   node.add     node  -                           NodeDoc
//   node.set     node  JSON pointer                any JSON; absent removes
//   node.move    node  -                           {"x":1,"y":2}
//   node.size    node  -                           {"w":1,"h":2,"folded":true}
//   node.del     node  -                           - (its edges go with it, and
//                                                  what stands in it)
//   edge.add     edge  -                           {"from","port","to"}
//   edge.set     edge  /from, /port, /to or /label string
//   edge.del     edge  -                           -
//   note.add     note  -                           Note
//   note.set     note  /text, /x, /y, /w or /h     -
//   note.del     note  -                           -
//   graph.set    -     /name, /description, /sample, /transaction
//
// Applying one gives the operations that undo it, in the order in which to
// apply them.

import { checkNode, checkText, Fault, LIMITS, objectOf, rule } from "./check.ts";
import type { Drawing } from "./drawing.ts";
import type { Edge, GraphNode, Json, NodeDoc, NodeLayout, Note, Op } from "./graph.ts";
import { setBelow } from "./json-set.ts";
import type { Change } from "./touch.ts";

/** Says which operation of a batch was refused, and why. */
export class OpError extends Error {
  readonly index: number;

  constructor(index: number, message: string) {
    super(message);
    this.name = "OpError";
    this.index = index;
  }
}

/**
 * Applies a batch, all or nothing, and returns the batch that undoes it.
 * Throws OpError; the drawing is then as before.
 */
export function apply(drawing: Drawing, ops: readonly Change[]): Op[] {
  const done: Op[][] = [];
  const undo = (): Op[] => done.reverse().flat();
  for (const [i, op] of ops.entries()) {
    try {
      if (ops.length > LIMITS.ops) throw new Fault(`A batch may have ${LIMITS.ops} operations.`);
      done.push(one(drawing, op));
      if (i === ops.length - 1) checkSize(drawing);
    } catch (fault) {
      for (const back of undo()) one(drawing, back);
      if (fault instanceof Fault) throw new OpError(i, fault.message);
      throw fault;
    }
  }
  return undo();
}

function checkSize(drawing: Drawing): void {
  const nodes = drawing.nodes.size;
  if (nodes > LIMITS.nodes) throw new Fault(`A workflow may have ${LIMITS.nodes} nodes.`);
  if (drawing.edges.size > LIMITS.edgesPerNode * Math.max(1, nodes)) {
    throw new Fault(`A workflow may have ${LIMITS.edgesPerNode} edges for each node.`);
  }
}

function one(drawing: Drawing, op: Change): Op[] {
  const id = op.id ?? "";
  switch (op.op) {
    case "node.add":
      return addNode(drawing, id, op.value);
    case "node.set":
      return setNode(drawing, id, op.path ?? "", op.value);
    case "node.move":
      return moveNode(drawing, id, op.value);
    case "node.size":
      return sizeNode(drawing, id, op.value);
    case "node.del":
      return delNode(drawing, id);
    case "edge.add":
      return addEdge(drawing, id, op.value);
    case "edge.set":
      return setEdge(drawing, id, op.path ?? "", op.value);
    case "edge.del":
      return delEdge(drawing, id);
    case "note.add":
      return addNote(drawing, id, op.value);
    case "note.set":
      return setNote(drawing, id, op.path ?? "", op.value);
    case "note.del":
      return delNote(drawing, id);
    case "graph.set":
      return setGraph(drawing, op.path ?? "", op.value);
    default:
      throw new Fault(`There is no operation ${op.op}.`);
  }
}

// An operation without a value must not carry the name either: absent removes.
function set(op: Op["op"], id: string | undefined, path: string, value: unknown): Op {
  const made = id === undefined ? { op, path } : { op, id, path };
  return value === undefined ? made : { ...made, value };
}

// -- nodes

function node(drawing: Drawing, id: string): GraphNode {
  const found = drawing.nodes.get(id);
  if (found === undefined) throw new Fault("The node is not there any more.");
  return found;
}

function addNode(drawing: Drawing, id: string, value: unknown): Op[] {
  const { x, y, title, w, h, folded, notes, pin, ...rest } = objectOf<NodeDoc>(value);
  const made: GraphNode = { ...rest, id };
  checkNode(made);
  if (drawing.nodes.has(id)) throw new Fault("There is already a node with this id.");
  freeKey(drawing, made.key);
  checkText(title, LIMITS.title);
  checkText(notes, LIMITS.notes);
  holds(drawing, made);
  drawing.putNode(made, { ...place(x, y, title, notes, pin), ...sizeOf({ w, h, folded }) });
  return [{ op: "node.del", id }];
}

function place(x: number, y: number, title?: string, notes?: string, pin?: Json): NodeLayout {
  return {
    x: whole(x),
    y: whole(y),
    ...(title ? { title } : {}),
    ...(notes ? { notes } : {}),
    ...(pin === undefined ? {} : { pin }),
  };
}

type Size = Pick<NodeLayout, "w" | "h" | "folded">;

function sizeOf({ w, h, folded }: Size): Size {
  const wide = whole(w);
  const high = whole(h);
  return {
    ...(wide === 0 ? {} : { w: wide }),
    ...(high === 0 ? {} : { h: high }),
    ...(folded === true ? { folded } : {}),
  };
}

function sizeNode(drawing: Drawing, id: string, value: unknown): Op[] {
  node(drawing, id);
  const { w, h, folded, ...rest } = drawing.place(id);
  drawing.putPlace(id, { ...rest, ...sizeOf(objectOf<Size>(value)) });
  return [{ op: "node.size", id, value: sizeOf({ w, h, folded }) }];
}

/** A node stands in a container that is there, not in itself, not too deep. */
function holds(drawing: Drawing, made: GraphNode): void {
  let depth = 0;
  for (let up = made.in; up; up = drawing.parent(up), depth++) {
    if (up === made.id) throw new Fault("A step cannot stand in itself.");
    if (!drawing.nodes.has(up)) throw new Fault("The container is not there any more.");
    if (depth >= LIMITS.nesting) {
      throw new Fault(`Containers may stand in each other ${LIMITS.nesting} deep.`);
    }
  }
}

function whole(n: unknown): number {
  if (n === undefined) return 0;
  if (typeof n !== "number" || !Number.isInteger(n)) throw new Fault("A place is a whole number.");
  return n;
}

function freeKey(drawing: Drawing, key: string): void {
  if (drawing.byKey(key) !== undefined)
    throw new Fault(`There is already a node with the key ${key}.`);
}

function moveNode(drawing: Drawing, id: string, value: unknown): Op[] {
  node(drawing, id);
  const to = objectOf<{ x: number; y: number }>(value);
  const was = drawing.place(id);
  drawing.putPlace(id, { ...was, x: whole(to.x), y: whole(to.y) });
  return [{ op: "node.move", id, value: { x: was.x, y: was.y } }];
}

function delNode(drawing: Drawing, id: string): Op[] {
  const was = node(drawing, id);
  const held = [...drawing.held(id)];
  if (held.length > 0) {
    // First what stands in it; what was deleted last comes back first.
    const parts = held.map((one) => delNode(drawing, one));
    return [...delNode(drawing, id), ...parts.reverse().flat()];
  }
  const doc: NodeDoc = { ...was, ...drawing.place(id) };
  const edges = new Set([...drawing.out(id), ...drawing.into(id)]);
  const undo: Op[] = [{ op: "node.add", id, value: doc }];
  for (const e of edges) {
    undo.push(addEdgeOp(e));
    drawing.dropEdge(e.id);
  }
  drawing.dropNode(id);
  return undo;
}

const plain = new Set([
  "/key",
  "/kind",
  "/disabled",
  "/max_visits",
  "/in",
  "/pivot",
  "/join",
  "/retry",
  "/timeout",
  "/task",
  "/config",
]);
const layout = new Set(["/title", "/notes", "/pin"]);

function setNode(drawing: Drawing, id: string, path: string, value: unknown): Op[] {
  const was = node(drawing, id);
  if (layout.has(path)) return setPlace(drawing, id, path, value);
  if (path.startsWith("/config/")) return setConfig(drawing, was, path, value);
  if (!plain.has(path)) throw new Fault(`There is nothing to set at ${path}.`);
  const name = path.slice(1);
  const { [name]: old, ...rest } = was as GraphNode & Record<string, unknown>;
  const next = (isEmpty(path, value) ? rest : { ...rest, [name]: value }) as GraphNode;
  checkNode(next);
  if (next.key !== was.key) freeKey(drawing, next.key);
  if (next.in !== was.in) holds(drawing, next);
  drawing.putNode(next);
  return [set("node.set", id, path, old)];
}

// What the server leaves out of a node when it writes it.
function isEmpty(path: string, value: unknown): boolean {
  if (path === "/config") return value === undefined;
  return value === undefined || value === null || value === false || value === 0 || value === "";
}

function setPlace(drawing: Drawing, id: string, path: string, value: unknown): Op[] {
  const name = path.slice(1);
  const { [name]: old, ...rest } = drawing.place(id) as NodeLayout & Record<string, unknown>;
  if (path !== "/pin") checkText(value, path === "/title" ? LIMITS.title : LIMITS.notes);
  const gone = value === undefined || (path !== "/pin" && value === "");
  drawing.putPlace(id, (gone ? rest : { ...rest, [name]: value }) as NodeLayout);
  return [set("node.set", id, path, old)];
}

function setConfig(drawing: Drawing, was: GraphNode, path: string, value: unknown): Op[] {
  const { next, undo } = setBelow(was.config ?? {}, "/config", path, value);
  // A configuration that this change makes must go again when it is undone,
  // yet an empty object means the same as none: the inverse need not differ.
  drawing.putNode({ ...was, config: objectOf(next) });
  return [set("node.set", was.id, undo.path, undo.value)];
}

// -- edges

export function addEdgeOp(e: Edge): Op {
  const { id, ...value } = e;
  return { op: "edge.add", id, value };
}

function addEdge(drawing: Drawing, id: string, value: unknown): Op[] {
  const { from, port, to, label } = objectOf<Omit<Edge, "id">>(value);
  if (drawing.edges.has(id)) throw new Fault("There is already an edge with this id.");
  const made = { id, from, port, to, ...(label ? { label } : {}) };
  fits(drawing, made);
  drawing.putEdge(made);
  return [{ op: "edge.del", id }];
}

function fits(drawing: Drawing, e: Edge): void {
  if (!rule.id.test(e.id)) throw new Fault("An edge has no usable id.");
  if ((e.label?.length ?? 0) > LIMITS.label) throw new Fault("The label of an edge is too long.");
  if (!rule.key.test(e.port)) throw new Fault("An edge starts at a port without a usable name.");
  if (!drawing.nodes.has(e.from) || !drawing.nodes.has(e.to)) {
    throw new Fault("An edge needs a node that is not there.");
  }
  for (const o of drawing.out(e.from)) {
    if (o.id !== e.id && o.port === e.port && o.to === e.to) {
      throw new Fault("These two are already connected.");
    }
  }
}

function edge(drawing: Drawing, id: string): Edge {
  const found = drawing.edges.get(id);
  if (found === undefined) throw new Fault("The edge is not there any more.");
  return found;
}

function setEdge(drawing: Drawing, id: string, path: string, value: unknown): Op[] {
  const was = edge(drawing, id);
  const name = path.slice(1);
  if (name !== "from" && name !== "port" && name !== "to" && name !== "label") {
    throw new Fault(`There is nothing to set at ${path}.`);
  }
  if (typeof value !== "string") throw new Fault("An edge's end is a word.");
  const { label, ...ends } = { ...was, [name]: value };
  const next = label ? { ...ends, label } : ends;
  fits(drawing, next);
  drawing.putEdge(next);
  return [{ op: "edge.set", id, path, value: was[name] ?? "" }];
}

function delEdge(drawing: Drawing, id: string): Op[] {
  const was = edge(drawing, id);
  drawing.dropEdge(id);
  return [addEdgeOp(was)];
}

// -- notes and the drawing as a whole

function note(drawing: Drawing, id: string): Note {
  const found = drawing.notes.get(id);
  if (found === undefined) throw new Fault("The note is not there any more.");
  return found;
}

function addNote(drawing: Drawing, id: string, value: unknown): Op[] {
  if (!rule.id.test(id)) throw new Fault("A note has no usable id.");
  if (drawing.notes.has(id)) throw new Fault("There is already a note with this id.");
  const { x, y, w, h, text } = objectOf<Note>(value);
  checkText(text, LIMITS.notes);
  drawing.putNote(id, { x: whole(x), y: whole(y), w: whole(w), h: whole(h), text: text ?? "" });
  return [{ op: "note.del", id }];
}

function setNote(drawing: Drawing, id: string, path: string, value: unknown): Op[] {
  const was = note(drawing, id);
  const name = path.slice(1);
  if (name === "text") {
    checkText(value, LIMITS.notes);
    drawing.putNote(id, { ...was, text: typeof value === "string" ? value : "" });
  } else if (name === "x" || name === "y" || name === "w" || name === "h") {
    drawing.putNote(id, { ...was, [name]: whole(value) });
  } else {
    throw new Fault(`There is nothing to set at ${path}.`);
  }
  return [{ op: "note.set", id, path, value: was[name] }];
}

function delNote(drawing: Drawing, id: string): Op[] {
  const was = note(drawing, id);
  drawing.dropNote(id);
  return [{ op: "note.add", id, value: was }];
}

function setGraph(drawing: Drawing, path: string, value: unknown): Op[] {
  if (path === "/sample") {
    const was = drawing.sample;
    drawing.sample = value as Json | undefined;
    return [set("graph.set", undefined, path, was)];
  }
  if (path === "/transaction") {
    const was = drawing.transaction;
    drawing.transaction = value === true;
    return [set("graph.set", undefined, path, was ? true : undefined)];
  }
  if (path !== "/name" && path !== "/description") {
    throw new Fault(`There is nothing to set at ${path}.`);
  }
  const name = path === "/name" ? "name" : "description";
  checkText(value, name === "name" ? LIMITS.title : LIMITS.notes);
  const was = drawing[name];
  drawing[name] = typeof value === "string" ? value : "";
  return [set("graph.set", undefined, path, was === "" ? undefined : was)];
}
