// A JSON Schema of an object as a list of fields, for a form: what the form can
// show, and each change that it makes. Whatever else a schema says stays in it.

import { member } from "./form-schema.ts";

/** The sorts of value that a field can have; "other" is said by JSON alone. */
export type Sort =
  | "any"
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "array"
  | "object"
  | "other";

/** What a person chooses from. */
export const sorts: readonly Sort[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "any",
];

export type InputField = {
  readonly name: string;
  readonly sort: Sort;
  /** Of a list: the sort of its items. */
  readonly items: Sort | undefined;
  readonly required: boolean;
  readonly about: string;
  /** Of a text: what it may be; empty, it may be any. */
  readonly choices: readonly string[];
  /** How many fields an object, or each item of a list, has; undefined where there are none to show. */
  readonly inside: number | undefined;
  /** Rules that only JSON shows. */
  readonly rules: readonly string[];
};

type Members = Readonly<Record<string, unknown>>;

/** What a form shows of a whole object, beside its fields; all else is a rule that it would hide. */
const objectWords = new Set(["type", "properties", "required", "additionalProperties"]);
/** What says nothing about which values fit. */
const remarks = new Set(["title", "description", "$schema", "$id", "$comment", "examples"]);

/** The fields of an object by its schema; undefined: the form cannot show it. */
export function inputFields(schema: unknown): readonly InputField[] | undefined {
  if (schema === undefined) return [];
  if (!isObject(schema)) return undefined;
  const { type = "object", properties = {}, required = [], additionalProperties = true } = schema;
  if (type !== "object" || !isObject(properties) || typeof additionalProperties !== "boolean")
    return undefined;
  if (!isTexts(required)) return undefined;
  if (Object.keys(schema).some((word) => !objectWords.has(word) && !remarks.has(word)))
    return undefined;
  const names = new Set([...Object.keys(properties), ...required]);
  return [...names].map((name) => fieldOf(name, member(properties, name) ?? {}, required));
}

function fieldOf(name: string, schema: unknown, required: readonly string[]): InputField {
  const sort = sortOf(schema);
  const about = member(schema, "description");
  const choices = sort === "string" ? member(schema, "enum") : undefined;
  return {
    name,
    sort,
    items: sort === "array" ? sortOf(member(schema, "items") ?? {}) : undefined,
    required: required.includes(name),
    about: typeof about === "string" ? about : "",
    choices: isTexts(choices) ? choices : [],
    inside: inputFields(objectIn(schema))?.length,
    rules: sort === "other" ? [] : rulesOf(schema, sort),
  };
}

function sortOf(schema: unknown): Sort {
  if (schema === true) return "any";
  if (!isObject(schema)) return "other";
  const { type } = schema;
  if (type === undefined)
    return Object.keys(schema).every((word) => remarks.has(word)) ? "any" : "other";
  const sort = sorts.find((s) => s === type);
  if (sort === undefined || sort === "any") return "other";
  if (sort === "object") return inputFields(schema) ? "object" : "other";
  if (schema["enum"] !== undefined && !(sort === "string" && isTexts(schema["enum"])))
    return "other";
  return sort;
}

function rulesOf(schema: unknown, sort: Sort): readonly string[] {
  const shown = sort === "object" ? objectWords : new Set(["type", "items", "enum"]);
  const words = isObject(schema) ? Object.keys(schema) : [];
  return words.filter((word) => !shown.has(word) && !remarks.has(word));
}

/** The object that a field is, or that each item of its list is. */
function objectIn(schema: unknown): unknown {
  const sort = sortOf(schema);
  if (sort === "object") return schema;
  const items = sort === "array" ? member(schema, "items") : undefined;
  return items !== undefined && sortOf(items) === "object" ? items : null;
}

/** Whether fields that are not in the list are refused. */
export function isClosed(schema: unknown): boolean {
  return member(schema, "additionalProperties") === false;
}

// -- changes: each gives a new schema of the object

export function withClosed(schema: unknown, closed: boolean): Members {
  return withMember(whole(schema), "additionalProperties", closed ? false : undefined);
}

/** One more field, a text; its name is free and is given back. */
export function withNewField(schema: unknown): { readonly schema: Members; readonly name: string } {
  const taken = new Set(inputFields(schema)?.map((f) => f.name));
  let name = "field";
  for (let n = 2; taken.has(name); n += 1) name = `field_${n}`;
  return { schema: withProperty(whole(schema), name, { type: "string" }), name };
}

export function withoutField(schema: unknown, name: string): Members {
  return withRequired(withProperty(whole(schema), name, undefined), name, false);
}

/** The field under another name, at the same place of the list. */
export function withName(schema: unknown, from: string, to: string): Members {
  const base = whole(schema);
  const properties = Object.entries(propertiesOf(base)).map(([k, v]) => [k === from ? to : k, v]);
  const required = requiredOf(base).map((k) => (k === from ? to : k));
  return {
    ...base,
    properties: Object.fromEntries(properties) as Members,
    ...(required.length > 0 ? { required } : {}),
  };
}

export function withRequired(schema: unknown, name: string, required: boolean): Members {
  const base = whole(schema);
  const others = requiredOf(base).filter((k) => k !== name);
  const next = required ? [...others, name] : others;
  return withMember(base, "required", next.length > 0 ? next : undefined);
}

/** Another sort: what was said of the values goes, what it means to people stays. */
export function withSort(schema: unknown, name: string, sort: Sort): Members {
  return changed(schema, name, (field) => sorted(remarksOf(field), sort));
}

export function withItems(schema: unknown, name: string, sort: Sort): Members {
  return changed(schema, name, (field) => {
    const items = sorted(remarksOf(member(field, "items")), sort);
    return withMember(field, "items", Object.keys(items).length > 0 ? items : undefined);
  });
}

export function withAbout(schema: unknown, name: string, about: string): Members {
  return changed(schema, name, (field) =>
    withMember(field, "description", about === "" ? undefined : about),
  );
}

export function withChoices(schema: unknown, name: string, choices: readonly string[]): Members {
  return changed(schema, name, (field) =>
    withMember(field, "enum", choices.length > 0 ? [...new Set(choices)] : undefined),
  );
}

/** The schema of the object at a path of names, through lists to their items. */
export function schemaAt(schema: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => objectIn(member(member(at, "properties"), name)),
    schema,
  );
}

/** The schema with another one for the object at a path. */
export function withSchemaAt(schema: unknown, path: readonly string[], next: Members): Members {
  const [name, ...rest] = path;
  if (name === undefined) return next;
  return changed(schema, name, (field) => {
    const inner = withSchemaAt(objectIn(field), rest, next);
    return sortOf(field) === "array" ? { ...field, items: inner } : inner;
  });
}

// -- from an example

const depthMax = 8; // deeper is anything, as for the engine
const fieldsMax = 100;

/** A schema that the example fits: what it has, and not null, has to be there. */
export function schemaOf(example: unknown, depth = 0): Members {
  if (example === null || example === undefined || depth > depthMax) return {};
  if (Array.isArray(example)) {
    const items = example.map((item: unknown) => schemaOf(item, depth + 1)).reduce(both, undefined);
    return { type: "array", ...(items && Object.keys(items).length > 0 ? { items } : {}) };
  }
  if (!isObject(example)) return { type: typeof example };
  const entries = Object.entries(example);
  if (entries.length > fieldsMax) return { type: "object" };
  const required = entries.filter(([, v]) => v !== null).map(([k]) => k);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([k, v]) => [k, schemaOf(v, depth + 1)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** What fits the one or the other. */
function both(a: Members | undefined, b: Members): Members {
  if (a === undefined || JSON.stringify(a) === JSON.stringify(b)) return b;
  if (a["type"] !== b["type"] || a["type"] === undefined) return {};
  if (a["type"] === "array") {
    const items =
      a["items"] && b["items"] ? both(a["items"] as Members, b["items"] as Members) : {};
    return { type: "array", ...(Object.keys(items).length > 0 ? { items } : {}) };
  }
  const [mine, theirs] = [propertiesOf(a), propertiesOf(b)];
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const required = requiredOf(a).filter((name) => requiredOf(b).includes(name));
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => {
        const [one, other] = [member(mine, name), member(theirs, name)];
        return [name, one && other ? both(one as Members, other as Members) : (one ?? other)];
      }),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

// -- parts

/** A schema that says at least that it is one of an object. */
function whole(schema: unknown): Members {
  return { type: "object", ...(isObject(schema) ? schema : {}) };
}

function changed(schema: unknown, name: string, change: (field: Members) => Members): Members {
  const base = whole(schema);
  const field = member(propertiesOf(base), name);
  return withProperty(base, name, change(isObject(field) ? field : {}));
}

/** The schema with a property in its old place, or at the end. */
function withProperty(base: Members, name: string, field: Members | undefined): Members {
  return { ...base, properties: withMember(propertiesOf(base), name, field) };
}

function withMember(into: Members, name: string, value: unknown): Members {
  // An own property even for a name like __proto__.
  const entries = Object.entries(into);
  if (value === undefined) return Object.fromEntries(entries.filter(([k]) => k !== name));
  if (!Object.hasOwn(into, name)) return Object.fromEntries([...entries, [name, value]]);
  return Object.fromEntries(entries.map(([k, v]) => [k, k === name ? value : v]));
}

function sorted(about: Members, sort: Sort): Members {
  if (sort === "any" || sort === "other") return about;
  return { type: sort, ...about, ...(sort === "object" ? { properties: {} } : {}) };
}

function remarksOf(schema: unknown): Members {
  if (!isObject(schema)) return {};
  return Object.fromEntries(
    Object.entries(schema).filter(([k]) => remarks.has(k) && k !== "examples"),
  );
}

function propertiesOf(schema: Members): Members {
  const { properties } = schema;
  return isObject(properties) ? properties : {};
}

function requiredOf(schema: Members): readonly string[] {
  const { required } = schema;
  return isTexts(required) ? required : [];
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((v) => typeof v === "string");
}
