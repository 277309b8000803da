// Another kind for a step: its place, its name and what still fits stay.

import { portsFor } from "../../core/card.ts";
import { defaults, member } from "../../core/form-schema.ts";
import type { GraphNode, JsonObject, Spec } from "../../core/graph.ts";
import { COMPENSATE } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import type { Editor } from "../state/editor.ts";
import { nameOf, portsOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { mainPort } from "./add.ts";

/** Makes a step one of another kind. Lines move to a port that fits, or go. */
export function replaceKind(editor: Editor, id: string, spec: Spec): boolean {
  const { drawing } = editor;
  const node = drawing.nodes.get(id);
  if (node === undefined || node.kind === spec.name) return false;
  const config = keptConfig(node, spec);
  const ops: Change[] = [
    { op: "node.set", id, path: "/kind", value: spec.name },
    { op: "node.set", id, path: "/config", value: config },
  ];
  // Policies that the new kind has no use for would only confuse.
  if (spec.work !== "task") {
    for (const path of ["retry", "timeout", "task"] as const) {
      if (node[path] !== undefined) ops.push({ op: "node.set", id, path: `/${path}` });
    }
  }
  ops.push(...lineOps(editor, node, spec, config));
  if (spec.no_input === true) {
    for (const e of drawing.into(id)) ops.push({ op: "edge.del", id: e.id });
  }
  const label = t("editor.do.replace", { step: nameOf(editor, id), kind: spec.title });
  if (!editor.commit(label, ops)) return false;
  editor.say(t("editor.said.done", { what: label }));
  return true;
}

/** Fields of the same name and type are kept. */
function keptConfig(node: GraphNode, spec: Spec): JsonObject {
  const kept: Record<string, unknown> = defaults(spec.config);
  for (const [name, schema] of Object.entries(spec.config.properties ?? {})) {
    const value = member(node.config, name);
    if (value === undefined || !fits(value, schema.type)) continue;
    if (schema.enum !== undefined && !schema.enum.includes(String(value))) continue;
    kept[name] = value;
  }
  return kept as JsonObject;
}

function fits(value: unknown, type: string | undefined): boolean {
  switch (type) {
    case undefined:
      return true;
    case "array":
      return Array.isArray(value);
    case "integer":
      return typeof value === "number";
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

/** The first way out stays the first one; others stay where the name is the same. */
function lineOps(editor: Editor, node: GraphNode, spec: Spec, config: JsonObject): Change[] {
  const main = mainPort(portsOf(editor, node))?.name;
  const ports = portsFor(spec, config);
  const first = mainPort(ports)?.name;
  const names = new Set(ports.map((p) => p.name));
  const taken = new Set<string>();
  const ops: Change[] = [];
  for (const e of editor.drawing.out(node.id)) {
    const moved = e.port === main ? first : undefined;
    const port = names.has(e.port) || e.port === COMPENSATE ? e.port : moved;
    if (port === undefined || taken.has(`${port} ${e.to}`)) ops.push({ op: "edge.del", id: e.id });
    else if (port !== e.port) ops.push({ op: "edge.set", id: e.id, path: "/port", value: port });
    taken.add(`${port} ${e.to}`);
  }
  return ops;
}
