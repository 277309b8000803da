// What values look like at a port, as the server tells it: a JSON Schema of
// sorts, fields and items. A shape says too much rather than too little: what it
// excludes never comes.

export type Shape = {
  /** Absent: any sort. */
  readonly type?: readonly Sort[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** false: there are no other fields. */
  readonly additionalProperties?: false;
  readonly items?: Shape;
};

export type Sort = "object" | "array" | "string" | "number" | "boolean" | "null";

/** What is known of the data at one step. */
export type Ports = {
  readonly gets: Shape;
  readonly takes: Shape;
  readonly gives: Readonly<Record<string, Shape>>;
};

const every: readonly Sort[] = ["object", "array", "string", "number", "boolean", "null"];

/** The sorts that a value can be of. */
export function sortsOf(shape: Shape): readonly Sort[] {
  return shape.type ?? every;
}

/** Whether nothing is known. */
export function isAny(shape: Shape): boolean {
  return Object.keys(shape).length === 0;
}

/** A line of a shape: a field, or the items of a list. */
export type Row = {
  readonly name: string;
  readonly depth: number;
  readonly shape: Shape;
  /** Always there. */
  readonly required: boolean;
  /** These are the items of the list above. */
  readonly items: boolean;
};

const rowsMax = 40;
const depthMax = 3;

/** The lines of a shape, each field under the one that holds it. */
export function rowsOf(shape: Shape, most = rowsMax): { rows: readonly Row[]; more: number } {
  const rows: Row[] = [];
  let more = 0;
  const add = (row: Row) => {
    if (rows.length >= most) more += 1;
    else rows.push(row);
  };
  const walk = (at: Shape, depth: number) => {
    if (depth > depthMax) return;
    for (const [name, inner] of Object.entries(at.properties ?? {})) {
      const required = at.required?.includes(name) ?? false;
      add({ name, depth, shape: inner, required, items: false });
      walk(inner, depth + 1);
    }
    if (at.items?.properties) walk(at.items, depth);
  };
  walk(shape, 0);
  return { rows, more };
}

/** The part of a shape behind a path of names and places; undefined: not known. */
export function partOf(shape: Shape, path: readonly (string | number)[]): Shape | undefined {
  let at: Shape | undefined = shape;
  for (const step of path) {
    if (typeof step === "number") at = at?.items;
    else at = Object.hasOwn(at?.properties ?? {}, step) ? at?.properties?.[step] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/** Why no value that is given can be what is needed. */
export type Misfit =
  | { readonly is: "missing"; readonly needs: string; readonly gives: readonly string[] }
  | { readonly is: "sort"; readonly at: string; readonly needs: Shape; readonly gives: Shape };

/** Undefined: some value may fit. */
export function misfit(gives: Shape, needs: Shape, at = ""): Misfit | undefined {
  const given = sortsOf(gives);
  const both = given.filter((sort) => sortsOf(needs).includes(sort));
  if (given.length === 0) return undefined; // nothing comes there yet
  if (both.length === 0) return { is: "sort", at, needs, gives };
  if (both.length > 1 || both[0] !== "object") return undefined;
  for (const [name, needed] of Object.entries(needs.properties ?? {})) {
    const must = needs.required?.includes(name) ?? false;
    const there = gives.properties?.[name];
    const below = at === "" ? name : `${at}.${name}`;
    if (there === undefined) {
      if (must && gives.additionalProperties === false) {
        return { is: "missing", needs: below, gives: Object.keys(gives.properties ?? {}) };
      }
    } else if (must || gives.required?.includes(name)) {
      const inner = misfit(there, needed, below);
      if (inner) return inner;
    }
  }
  return undefined;
}
