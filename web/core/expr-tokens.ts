// Splitting expression fields into coloured pieces. The same tokens colour a
// field at rest and the open editor, so nothing changes when it gets focus.

export type TokenKind =
  | "root" // input, nodes, …
  | "name"
  | "call"
  | "number"
  | "string"
  | "keyword"
  | "operator"
  | "bracket"
  | "mark" // the = in front, {{ and }}
  | "text" // literal text of a template
  | "space"
  | "wrong";

export type Token = { readonly kind: TokenKind; readonly from: number; readonly to: number };

/** How a field reads what is typed in it (see the engine's package expr). */
export type Mode = "expr" | "value" | "constant" | "json";

/** What a value is, by its first characters. */
export type Form = "constant" | "expression" | "literal" | "template";

export function formOf(text: string): Form {
  if (text.startsWith("==")) return "literal";
  if (text.startsWith("=")) return "expression";
  return text.includes("{{") ? "template" : "constant";
}

const roots = new Set(["input", "inputs", "nodes", "trigger", "run"]);
const keywords = new Set(["true", "false", "null", "in"]);

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ["space", /\s+/y],
  ["string", /[rRbB]{0,2}(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y],
  ["number", /(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)u?/y],
  ["name", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["operator", /&&|\|\||[<>=!]=|[-+*/%<>!?:]/y],
  ["bracket", /[()[\]{}.,]/y],
];

/** The tokens of one bare expression that stands at `offset` of its field. */
export function tokenizeExpr(source: string, offset = 0): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const [kind, end] = read(source, at);
    tokens.push({ kind, from: at + offset, to: end + offset });
    at = end;
  }
  return tokens;
}

/** The tokens of a whole field. */
export function tokenize(text: string, mode: Mode): Token[] {
  if (text === "") return [];
  if (mode === "expr") return tokenizeExpr(text);
  if (mode === "json") return tokenizeJSON(text);
  if (mode === "constant") return [{ kind: "text", from: 0, to: text.length }];
  switch (formOf(text)) {
    case "expression":
      return [{ kind: "mark", from: 0, to: 1 }, ...tokenizeExpr(text.slice(1), 1)];
    case "literal":
      return [
        { kind: "mark", from: 0, to: 1 },
        { kind: "text", from: 1, to: text.length },
      ];
    case "template":
      return tokenizeTemplate(text);
    case "constant":
      return [{ kind: "text", from: 0, to: text.length }];
  }
}

/** JSON has strings, numbers and words; a string may itself be an expression. */
export function tokenizeJSON(text: string): Token[] {
  const tokens = tokenizeExpr(text);
  return tokens.map((token, i) => {
    if (token.kind !== "string")
      return token.kind === "root" || token.kind === "call" ? { ...token, kind: "wrong" } : token;
    const next = tokens.slice(i + 1).find((t) => t.kind !== "space");
    const key = next !== undefined && text.slice(next.from, next.to) === ":";
    return key ? { ...token, kind: "name" } : token;
  });
}

function read(source: string, at: number): readonly [TokenKind, number] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) continue;
    const end = at + match[0].length;
    return [kind === "name" ? nameKind(source, match[0], at, end) : kind, end];
  }
  return ["wrong", at + 1];
}

function nameKind(source: string, word: string, at: number, end: number): TokenKind {
  const member = source[at - 1] === ".";
  if (/^\s*\(/.test(source.slice(end))) return "call";
  if (member) return "name";
  if (keywords.has(word)) return "keyword";
  return roots.has(word) ? "root" : "name";
}

function tokenizeTemplate(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    if (open < 0) break;
    if (open > at) tokens.push({ kind: "text", from: at, to: open });
    tokens.push({ kind: "mark", from: open, to: open + 2 });
    const close = text.indexOf("}}", open + 2);
    const end = close < 0 ? text.length : close;
    tokens.push(...tokenizeExpr(text.slice(open + 2, end), open + 2));
    if (close >= 0) tokens.push({ kind: "mark", from: close, to: close + 2 });
    at = close < 0 ? text.length : close + 2;
  }
  if (at < text.length) tokens.push({ kind: "text", from: at, to: text.length });
  return tokens;
}
