// What the server says in English sentences (findings, problems), in the
// page's language. The island #sentences has them by the English ones, with
// {a}, {b} where the server fills something in: the same as web/strings/sentence.go.

import { island } from "./strings.ts";

type Pattern = {
  readonly find: RegExp;
  readonly holes: readonly string[];
  readonly word: string;
  readonly fixed: number;
};

type Known = {
  readonly exact: Readonly<Record<string, string>>;
  readonly patterns: readonly Pattern[];
};

const HOLE = /\{[a-z]\}/g;
const DEEP = 4;

let known: Known | undefined;

/** Gives the sentences, instead of the page's island. */
export function setSentences(sentences: Readonly<Record<string, string>>): void {
  const patterns = Object.entries(sentences)
    .filter(([english]) => english.search(HOLE) >= 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([english, word]) => pattern(english, word))
    .sort((a, b) => b.fixed - a.fixed);
  known = { exact: sentences, patterns };
}

/** A sentence of the server in the page's language, or as it is. */
export function said(text: string): string {
  if (known === undefined) setSentences(island("sentences"));
  return known === undefined ? text : put(known, text, 0);
}

function put(k: Known, text: string, depth: number): string {
  if (Object.hasOwn(k.exact, text)) return k.exact[text] ?? text;
  if (depth === DEEP) return text;
  for (const p of k.patterns) {
    const found = p.find.exec(text);
    if (found === null) continue;
    return p.word.replace(HOLE, (hole) => {
      const i = p.holes.indexOf(hole);
      return i < 0 ? hole : put(k, found[i + 1] ?? "", depth + 1);
    });
  }
  return text;
}

function pattern(english: string, word: string): Pattern {
  const parts = english.split(HOLE);
  const find = parts.map((s) => s.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("([^]+?)");
  return {
    find: new RegExp(`^${find}$`),
    holes: english.match(HOLE) ?? [],
    word,
    fixed: parts.reduce((n, s) => n + s.length, 0),
  };
}
