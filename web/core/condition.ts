// A condition as rows that a person fills in without knowing the language:
// what is compared, how, and with what; all of them, or any of them.

export type Comparison =
  | "=="
  | "!="
  | ">"
  | ">="
  | "<"
  | "<="
  | "contains"
  | "startsWith"
  | "endsWith"
  | "has"
  | "lacks";

export type Row = {
  readonly path: string;
  readonly how: Comparison;
  /** As it is written: a number, a word, or text without quotes. */
  readonly value: string;
};

export type Condition = { readonly any: boolean; readonly rows: readonly Row[] };

export const COMPARISONS: readonly Comparison[] = [
  "==",
  "!=",
  ">",
  ">=",
  "<",
  "<=",
  "contains",
  "startsWith",
  "endsWith",
  "has",
  "lacks",
];

/** Comparisons that need nothing on the right. */
export function isAlone(how: Comparison): boolean {
  return how === "has" || how === "lacks";
}

const path = String.raw`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\["[^"\\]*"\])*`;
const literal = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|true|false|null`;
const compared = new RegExp(`^(${path})\\s*(==|!=|>=|<=|>|<)\\s*(${literal})$`);
const called = new RegExp(`^(${path})\\.(contains|startsWith|endsWith)\\(\\s*(${literal})\\s*\\)$`);
const held = new RegExp(`^(!)?\\s*has\\(\\s*(${path})\\s*\\)$`);

/** The rows of an expression; undefined: it is more than rows can show. */
export function readCondition(source: string): Condition | undefined {
  const text = source.trim().replace(/^=/, "").trim();
  if (text === "") return { any: false, rows: [] };
  const parts = split(text);
  if (parts === undefined) return undefined;
  const rows = parts.pieces.map(readRow);
  if (!rows.every((row) => row !== undefined)) return undefined;
  return { any: parts.sign === "||", rows };
}

/** The parts between && or ||; undefined when both are mixed, or in brackets. */
function split(text: string): { pieces: string[]; sign: string } | undefined {
  const pieces: string[] = [];
  let sign = "";
  let piece = "";
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||[\s\S]/g;
  for (const [part] of text.matchAll(token)) {
    if (part !== "&&" && part !== "||") {
      piece += part;
      continue;
    }
    if (sign !== "" && sign !== part) return undefined;
    sign = part;
    pieces.push(piece.trim());
    piece = "";
  }
  pieces.push(piece.trim());
  return { pieces, sign };
}

function readRow(text: string): Row | undefined {
  const alone = held.exec(text);
  if (alone !== null) {
    return { path: alone[2] ?? "", how: alone[1] === "!" ? "lacks" : "has", value: "" };
  }
  const [, left, how, right] = compared.exec(text) ?? called.exec(text) ?? [];
  if (left === undefined || how === undefined || right === undefined) return undefined;
  return { path: left, how: how as Comparison, value: shownValue(right) };
}

/** Text loses its quotes, unless it would then read as something else. */
function shownValue(right: string): string {
  if (!/^["']/.test(right)) return right;
  const inner = right.slice(1, -1);
  const text = inner.replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
  return isPlain(text) ? text : JSON.stringify(text);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Without quotes it would be taken for the text that it is. */
function isPlain(text: string): boolean {
  return text.trim() === text && text !== "" && !new RegExp(`^(?:${literal})$`).test(text);
}

/** The expression of the rows that are filled in. */
export function conditionText({ any, rows }: Condition): string {
  return rows
    .filter((row) => row.path.trim() !== "")
    .map(rowText)
    .join(any ? " || " : " && ");
}

function rowText({ path: left, how, value }: Row): string {
  switch (how) {
    case "has":
      return `has(${left})`;
    case "lacks":
      return `!has(${left})`;
    case "contains":
    case "startsWith":
    case "endsWith":
      return `${left}.${how}(${quoted(value)})`;
    default:
      return `${left} ${how} ${written(value)}`;
  }
}

/** A number, true, false and null stay what they are; everything else is text. */
function written(value: string): string {
  const text = value.trim();
  return new RegExp(`^(?:${literal})$`).test(text) ? text : JSON.stringify(value);
}

function quoted(value: string): string {
  return /^"(?:[^"\\]|\\.)*"$/.test(value.trim()) ? value.trim() : JSON.stringify(value);
}

/** The paths that a value offers, nearest first. */
export function pathsOf(sample: Readonly<Record<string, unknown>>, most = 60): string[] {
  const found: string[] = [];
  const queue: (readonly [string, unknown, number])[] = [
    ["input", sample["input"], 0],
    ["item", sample["item"], 0],
    ["trigger", sample["trigger"], 0],
    ["nodes", sample["nodes"], 0],
  ];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [at, value, depth] = next;
    if (value === undefined) continue;
    if (depth > 0) found.push(at);
    if (found.length >= most) break;
    if (typeof value !== "object" || value === null || Array.isArray(value) || depth > 4) continue;
    for (const [name, inner] of Object.entries(value)) {
      const step = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
      queue.push([at + step, inner, depth + 1]);
    }
  }
  return found;
}
