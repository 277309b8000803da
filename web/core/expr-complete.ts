// What may be written next in an expression: variables, the keys of sample
// values, and functions, each with one line of help.

import { partOf, type Shape } from "./port-shape.ts";

export type Completion = {
  readonly label: string;
  readonly insert: string;
  readonly kind: "variable" | "key" | "function" | "method" | "keyword";
  readonly type: string; // "string", "list", …
  readonly detail: string; // the sample value, shortened
  readonly doc: string;
};

export type Completions = { readonly from: number; readonly options: readonly Completion[] };

/** Sample values by variable name. */
export type Sample = Readonly<Record<string, unknown>>;

type Entry = readonly [name: string, insert: string, help: string];

const functions: readonly Entry[] = [
  ["size", "size(", "length of a text, list or object"],
  ["has", "has(", "whether a field is there: has(input.name)"],
  ["default", "default(", "the first value, or the second when it is missing: default(input.n, 0)"],
  ["string", "string(", "turn into text"],
  ["text", "text(", "turn anything into readable text"],
  ["number", "number(", "turn text into a number"],
  ["int", "int(", "turn into a whole number"],
  ["bool", "bool(", "turn into true or false"],
  ["json", "json(", "write as JSON text"],
  ["parse_json", "parse_json(", "read JSON text"],
  ["type", "type(", "the type of a value"],
  ["timestamp", "timestamp(", 'a moment from text: timestamp("2030-01-31T08:00:00Z")'],
  ["duration", "duration(", 'a span of time: duration("90s")'],
  ["math.greatest", "math.greatest(", "the greatest of the numbers"],
  ["math.least", "math.least(", "the least of the numbers"],
  ["math.round", "math.round(", "to the nearest whole number"],
  ["math.floor", "math.floor(", "down to a whole number"],
  ["math.ceil", "math.ceil(", "up to a whole number"],
  ["math.abs", "math.abs(", "without its sign"],
  ["sets.contains", "sets.contains(", "whether the first list has all of the second"],
  ["sets.intersects", "sets.intersects(", "whether two lists share an item"],
  ["base64.encode", "base64.encode(", "bytes as base64 text"],
  ["cel.bind", "cel.bind(", "name a value: cel.bind(x, input.a, x + x)"],
];

const methods: ReadonlyMap<string, readonly Entry[]> = new Map<string, readonly Entry[]>([
  [
    "string",
    [
      ["contains", "contains(", "has the text inside"],
      ["startsWith", "startsWith(", "begins with the text"],
      ["endsWith", "endsWith(", "ends with the text"],
      ["matches", "matches(", "fits a regular expression (RE2)"],
      ["lowerAscii", "lowerAscii()", "in small letters"],
      ["upperAscii", "upperAscii()", "in capitals"],
      ["trim", "trim()", "without spaces at both ends"],
      ["replace", "replace(", 'replace("a", "b"): every a by b'],
      ["split", "split(", 'split(","): a list of parts'],
      ["substring", "substring(", "substring(0, 8): a part by place"],
      ["indexOf", "indexOf(", "where the text begins, or -1"],
      ["size", "size()", "number of characters"],
    ],
  ],
  [
    "list",
    [
      ["exists", "exists(x, ", "whether any item fits: exists(x, x > 1)"],
      ["all", "all(x, ", "whether all items fit: all(x, x > 1)"],
      ["exists_one", "exists_one(x, ", "whether exactly one item fits"],
      ["filter", "filter(x, ", "the items that fit: filter(x, x.paid)"],
      ["map", "map(x, ", "every item turned into something: map(x, x.name)"],
      ["join", "join(", 'join(", "): one text of all items'],
      ["distinct", "distinct()", "each item once"],
      ["sort", "sort()", "in order"],
      ["sortBy", "sortBy(x, ", "in the order of something: sortBy(x, x.price)"],
      ["flatten", "flatten()", "lists inside the list joined"],
      ["slice", "slice(", "slice(0, 3): a part by place"],
      ["reverse", "reverse()", "from last to first"],
      ["size", "size()", "number of items"],
    ],
  ],
  ["object", [["size", "size()", "number of fields"]]],
]);

const variables: ReadonlyMap<string, string> = new Map([
  ["input", "what arrived at this step"],
  ["inputs", "what arrived, by the step that sent it"],
  ["nodes", "what other steps gave: nodes.key.output"],
  ["trigger", "what started the run"],
  ["run", "the run itself: id, workflow, version, started_at"],
]);

const keywords: readonly Entry[] = [
  ["true", "true", "yes"],
  ["false", "false", "no"],
  ["null", "null", "nothing"],
  ["in", "in ", 'whether a list or object has it: "a" in input.tags'],
];

const pathBefore = /([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\["[^"]*"\])*)\.([A-Za-z_]\w*)?$/;
const wordBefore = /([A-Za-z_]\w*)?$/;

/** Completions at the end of `before`, the expression's text up to the cursor. */
export function complete(
  before: string,
  sample: Sample,
  shapes: Readonly<Record<string, Shape>> = {},
): Completions {
  if (insideString(before)) return { from: before.length, options: [] };
  const path = pathBefore.exec(before);
  if (path) {
    const typed = path[2] ?? "";
    const shape = partOf({ properties: shapes }, stepsOf(path[1] ?? ""));
    const options = members(lookup(sample, path[1] ?? ""), shape ?? {});
    return { from: before.length - typed.length, options };
  }
  const typed = wordBefore.exec(before)?.[1] ?? "";
  return { from: before.length - typed.length, options: outermost(sample) };
}

function outermost(sample: Sample): Completion[] {
  const options: Completion[] = [];
  for (const [name, doc] of variables) {
    const value = Object.hasOwn(sample, name) ? sample[name] : undefined;
    options.push({
      label: name,
      insert: name,
      kind: "variable",
      type: typeName(value),
      detail: preview(value),
      doc,
    });
  }
  for (const [label, insert, doc] of functions)
    options.push({ label, insert, kind: "function", type: "", detail: "", doc });
  for (const [label, insert, doc] of keywords)
    options.push({ label, insert, kind: "keyword", type: "", detail: "", doc });
  return options;
}

// The fields of the sample, then those that the shape knows besides. A field that
// the shape excludes was seen before somebody changed what comes.
function members(value: unknown, shape: Shape): Completion[] {
  const options: Completion[] = [];
  if (isRecord(value)) {
    for (const [name, child] of Object.entries(value)) {
      if (!/^[A-Za-z_]\w*$/.test(name)) continue;
      const excluded = shape.additionalProperties === false;
      if (excluded && !Object.hasOwn(shape.properties ?? {}, name)) continue;
      options.push({
        label: name,
        insert: name,
        kind: "key",
        type: typeName(child),
        detail: preview(child),
        doc: "",
      });
    }
  }
  const seen = new Set(options.map((o) => o.label));
  for (const [name, inner] of Object.entries(shape.properties ?? {})) {
    if (seen.has(name) || !/^[A-Za-z_]\w*$/.test(name)) continue;
    const type = sortName(inner);
    options.push({ label: name, insert: name, kind: "key", type, detail: "", doc: "" });
  }
  for (const [label, insert, doc] of methods.get(typeName(value) || sortName(shape)) ?? []) {
    options.push({ label, insert, kind: "method", type: "", detail: "", doc });
  }
  return options;
}

/** The only sort of a shape, as samples name theirs. */
function sortName(shape: Shape): string {
  const [only, more] = shape.type ?? [];
  if (only === undefined || more !== undefined) return "";
  return only === "array" ? "list" : only;
}

const step = /([A-Za-z_]\w*)|\[(\d+)\]|\["([^"]*)"\]/g;

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(step)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? "") : Number(index),
  );
}

/** The sample value at "nodes.check.output.items[0]". */
export function lookup(sample: Sample, path: string): unknown {
  let here: unknown = sample;
  for (const [, name, index, quoted] of path.matchAll(step)) {
    const key = name ?? quoted ?? index ?? "";
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = Reflect.get(here, key);
  }
  return here;
}

export function typeName(value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "object" : typeof value;
}

const previewLength = 40;

export function preview(value: unknown): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value) ?? "";
  return text.length > previewLength ? `${text.slice(0, previewLength - 1)}…` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function insideString(before: string): boolean {
  let quote = "";
  for (let i = 0; i < before.length; i += 1) {
    const c = before[i] ?? "";
    if (quote === "") {
      if (c === '"' || c === "'") quote = c;
    } else if (c === "\\") i += 1;
    else if (c === quote) quote = "";
  }
  return quote !== "";
}
