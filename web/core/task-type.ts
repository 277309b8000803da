// Task types that workers of one's own have announced: how they stand in the
// list of things to add, and the form that their input gets.

import type { Schema } from "./form-schema.ts";
import type { GraphNode, Issue, JsonObject, Spec } from "./graph.ts";

/** A type as GET /api/workers tells it. */
export type TaskType = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  /** A JSON Schema that somebody else wrote. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** Workers that do it now. */
  readonly alive: number;
  readonly seen_at?: string | undefined;
};

/** The kind whose steps name a task type. */
export const EXTERNAL = "external";

const prefix = `${EXTERNAL}:`;

/** The task type that an entry of the list stands for. */
export function typeOf(types: readonly TaskType[], spec: string): TaskType | undefined {
  return spec.startsWith(prefix)
    ? types.find((t) => t.name === spec.slice(prefix.length))
    : undefined;
}

/** A type as an entry of the list. */
export function entryOf(base: Spec, type: TaskType, icon: string): Spec {
  return {
    ...base,
    name: prefix + type.name,
    title: type.title,
    icon,
    help: type.description === "" ? base.help : type.description,
  };
}

/** What a new step of the type has: its fields lead to those of the input. */
export function configOf(type: TaskType): JsonObject {
  const form = formOf(type.input);
  if (form === undefined) return { type: type.name };
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(form.properties ?? {})) {
    if (field.default !== undefined) input[name] = field.default;
    else if (form.required?.includes(name)) input[name] = `=input.${name}`;
  }
  return { type: type.name, input } as JsonObject;
}

/** The settings of an external step, with its input as a form where that is possible. */
export function settingsOf(base: Schema, node: GraphNode, types: readonly TaskType[]): Schema {
  const type = types.find((t) => t.name === typeNamed(node));
  const form = formOf(type?.input);
  const given = inputOf(node);
  if (form === undefined || typeof given !== "object" || given === null || Array.isArray(given))
    return base;
  const known = Object.keys(form.properties ?? {});
  if (Object.keys(given).some((name) => !known.includes(name))) return base; // nothing may be hidden
  const input = { ...form, title: base.properties?.["input"]?.title ?? "" };
  return { ...base, properties: { ...base.properties, input } };
}

function typeNamed(node: GraphNode): string | undefined {
  const type = (node.config as { readonly type?: unknown } | undefined)?.type;
  return typeof type === "string" && type !== "" ? type : undefined;
}

function inputOf(node: GraphNode): unknown {
  return (node.config as { readonly input?: unknown } | undefined)?.input;
}

const types = ["object", "array", "string", "integer", "number", "boolean"];

/** The part of a schema that a form can show; undefined: no form can be made. */
export function formOf(schema: unknown, depth = 0): Schema | undefined {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined;
  const properties: Record<string, Schema> = {};
  for (const [name, child] of Object.entries(schema["properties"]))
    properties[name] = fieldOf(child, depth);
  if (Object.keys(properties).length === 0) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return { type: "object", properties, required, ...wordsOf(schema) };
}

const deepest = 3;

function fieldOf(schema: unknown, depth: number): Schema {
  if (!isObject(schema)) return {};
  const words = wordsOf(schema);
  const { type, enum: choices } = schema;
  if (typeof type !== "string" || !types.includes(type)) return words; // anything, as JSON
  if (type === "object") {
    const inner = depth < deepest ? formOf(schema, depth + 1) : undefined;
    return inner ? { ...inner, ...words } : words;
  }
  if (type === "array") {
    const items = fieldOf(schema["items"], depth + 1);
    return items.type === undefined ? words : { type, items, ...words };
  }
  const out: Record<string, unknown> = { type, ...words };
  if (type === "string" && Array.isArray(choices) && choices.every((c) => typeof c === "string"))
    out["enum"] = choices;
  for (const limit of ["minimum", "maximum", "minLength", "maxLength"])
    if (typeof schema[limit] === "number") out[limit] = schema[limit];
  return out as Schema;
}

function wordsOf(schema: Readonly<Record<string, unknown>>): Schema {
  const out: Record<string, unknown> = {};
  for (const name of ["title", "description"])
    if (typeof schema[name] === "string") out[name] = schema[name];
  if (schema["default"] !== undefined) out["default"] = schema["default"];
  return out as Schema;
}

function isObject(v: unknown): v is Readonly<Record<string, unknown>> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** Findings for steps whose type no worker does now. */
export function unworked(
  nodes: Iterable<GraphNode>,
  types: readonly TaskType[],
  words: (name: string, type: TaskType | undefined) => string,
): Issue[] {
  const found: Issue[] = [];
  for (const node of nodes) {
    const name = typeNamed(node);
    if (node.kind !== EXTERNAL || name === undefined || node.disabled === true) continue;
    const type = types.find((t) => t.name === name);
    if (type !== undefined && type.alive > 0) continue;
    found.push({
      code: "no_worker",
      severity: "warning",
      node: node.id,
      field: "/config/type",
      message: words(name, type),
    });
  }
  return found;
}
