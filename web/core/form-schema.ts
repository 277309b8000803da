// The subset of JSON Schema that forms are made from, as the catalogue sends
// it, and the questions that a form asks of it.

import type { Mode } from "./expr-tokens.ts";

export type Schema = {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly "x-enum-titles"?: readonly string[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly "x-ui"?: string;
  readonly "x-unit"?: string;
  readonly "x-placeholder"?: string;
  readonly "x-showIf"?: string;
  readonly "x-advanced"?: boolean;
  readonly "x-constant"?: boolean;
};

/** The widgets that the form renderer has. */
export type Widget =
  | "text"
  | "area"
  | "choice" // up to three words side by side
  | "select"
  | "number"
  | "switch"
  | "duration"
  | "pairs" // names and values
  | "rules" // condition → port
  | "rows" // a list of objects
  | "list" // a list of plain values
  | "section" // an object with fields of its own
  | "expr"
  | "json"
  | "schema" // which fields an object has: a JSON Schema
  | "code"
  | "credential"
  | "port";

export type Field = {
  readonly name: string;
  readonly pointer: string; // JSON pointer inside the configuration
  readonly schema: Schema;
  readonly title: string;
  readonly required: boolean;
  readonly advanced: boolean;
  readonly widget: Widget;
  readonly mode: Mode;
};

const choicesSideBySide = 3;

/** The visible fields of an object, in the order of its schema. */
export function fieldsOf(schema: Schema, config: unknown, base = ""): Field[] {
  const fields: Field[] = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (!shown(child, config, schema)) continue;
    fields.push({
      name,
      pointer: `${base}/${escapePointer(name)}`,
      schema: child,
      title: child.title ?? name,
      required: schema.required?.includes(name) ?? false,
      advanced: child["x-advanced"] ?? false,
      widget: widgetOf(child),
      mode: modeOf(child),
    });
  }
  return fields;
}

export function modeOf(schema: Schema): Mode {
  if (schema["x-constant"] || schema["x-ui"] === "port" || schema["x-ui"] === "credential")
    return "constant";
  return schema["x-ui"] === "expr" ? "expr" : "value";
}

const hinted: ReadonlyMap<string, Widget> = new Map<string, Widget>([
  ["expr", "expr"],
  ["text", "area"],
  ["duration", "duration"],
  ["kv", "pairs"],
  ["rules", "rules"],
  ["code", "code"],
  ["credential", "credential"],
  ["json", "json"],
  ["schema", "schema"],
  ["port", "port"],
]);

export function widgetOf(schema: Schema): Widget {
  const hint = hinted.get(schema["x-ui"] ?? "");
  if (hint) return hint;
  if (schema.enum) return schema.enum.length <= choicesSideBySide ? "choice" : "select";
  switch (schema.type) {
    case "boolean":
      return "switch";
    case "integer":
    case "number":
      return "number";
    case "array":
      return schema.items?.type === "object" ? "rows" : "list";
    case "object":
      return schema.properties ? "section" : "pairs";
    case "string":
      return schema.format === "duration" ? "duration" : "text";
    default:
      return schema.type === undefined ? "json" : "text";
  }
}

/**
 * Evaluates x-showIf: "auth=bearer", "auth!=none", "auth=bearer|hmac", or
 * "credential" (is set). An absent field has its default.
 */
export function shown(schema: Schema, config: unknown, parent: Schema): boolean {
  const rule = schema["x-showIf"];
  if (!rule) return true;
  const match = /^([A-Za-z_][\w]*)\s*(!=|=)?\s*(.*)$/.exec(rule);
  const [, name = "", operator, wanted = ""] = match ?? [];
  const value = member(config, name) ?? parent.properties?.[name]?.default;
  if (operator === undefined) return value !== undefined && value !== "" && value !== false;
  const hit = wanted.split("|").includes(String(value ?? ""));
  return operator === "=" ? hit : !hit;
}

/** The mode of every string inside a configuration, by its JSON pointer. */
export function* strings(
  schema: Schema,
  value: unknown,
  pointer = "",
): Generator<{ pointer: string; text: string; mode: Mode }> {
  if (typeof value === "string") {
    yield { pointer, text: value, mode: modeOf(schema) };
    return;
  }
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      yield* strings(inherit(schema, schema.items), item, `${pointer}/${i}`);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    yield* strings(
      inherit(schema, schema.properties?.[name]),
      item,
      `${pointer}/${escapePointer(name)}`,
    );
  }
}

/** What a constant field holds stays constant all the way down. */
function inherit(parent: Schema, child: Schema | undefined): Schema {
  if (child) return child;
  return parent["x-constant"] ? { "x-constant": true } : {};
}

export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function pointerParts(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointerParts(pointer)) here = member(here, part);
  return here;
}

/** The configuration that a new node starts with. */
export function defaults(schema: Schema): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined) config[name] = child.default;
  }
  return config;
}
