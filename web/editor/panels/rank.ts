// Which steps the quick add offers, and in which order: what fits the port,
// then by name, by what was used last, and by what commonly comes next.

import type { Spec } from "../../core/graph.ts";

export type RankContext = {
  /** Kind of the step that the new one follows. */
  readonly after: string | undefined;
  /** The new one has to have an input, or a way out. */
  readonly needsInput: boolean;
  readonly needsOutput: boolean;
  readonly triggersOnly: boolean;
  /** Something is there already: triggers come last. */
  readonly started: boolean;
  readonly recent: readonly string[];
  /** Kinds that are in the drawing and may be there only once. */
  readonly taken: ReadonlySet<string>;
};

export type Hit = {
  readonly spec: Spec;
  /** Where the query is in the title. */
  readonly mark: readonly [from: number, to: number] | undefined;
};

const next: ReadonlyMap<string, readonly string[]> = new Map([
  ["manual", ["route", "http", "llm", "if", "set"]],
  ["webhook", ["route", "http", "llm", "respond", "if"]],
  ["route", ["http", "llm", "mock", "wait", "output"]],
  ["if", ["http", "llm", "set", "wait", "end"]],
  ["http", ["if", "route", "transform", "set", "output"]],
  ["llm", ["if", "route", "transform", "output"]],
  ["mock", ["join", "route", "output", "if"]],
  ["join", ["set", "output", "respond", "llm"]],
  ["set", ["http", "route", "output", "if"]],
  ["transform", ["http", "route", "output", "if"]],
  ["wait", ["http", "llm", "set"]],
]);

export function rank(specs: readonly Spec[], query: string, context: RankContext): readonly Hit[] {
  const words = query.trim().toLowerCase();
  const scored: { hit: Hit; score: number; order: number }[] = [];
  for (const [order, spec] of specs.entries()) {
    if (!fits(spec, context)) continue;
    const match = words === "" ? 0 : nameScore(spec, words);
    if (match === undefined) continue;
    const at = spec.title.toLowerCase().indexOf(words);
    const mark = words !== "" && at >= 0 ? ([at, at + words.length] as const) : undefined;
    scored.push({ hit: { spec, mark }, score: match + habit(spec, context), order });
  }
  return scored.sort((a, b) => b.score - a.score || a.order - b.order).map((s) => s.hit);
}

function fits(spec: Spec, context: RankContext): boolean {
  if (context.taken.has(spec.name)) return false;
  if (context.triggersOnly) return spec.work === "trigger";
  if (context.needsInput && spec.no_input) return false;
  return !(context.needsOutput && !spec.ports_of && spec.ports.every((p) => p.failure));
}

/** How well the words name the kind; undefined: not at all. */
function nameScore(spec: Spec, words: string): number | undefined {
  const title = spec.title.toLowerCase();
  if (title.startsWith(words) || spec.name.startsWith(words)) return 400;
  if (title.split(/\s+/).some((w) => w.startsWith(words))) return 300;
  if (title.includes(words)) return 200;
  if (spec.category.includes(words)) return 120;
  if (spec.help.toLowerCase().includes(words)) return 100;
  return scattered(title, words) ? 40 : undefined;
}

/** Every letter in order, as in "htr" for "HTTP request". */
function scattered(title: string, words: string): boolean {
  let at = 0;
  for (const letter of words.replaceAll(" ", "")) {
    at = title.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return words.length >= 2;
}

function habit(spec: Spec, context: RankContext): number {
  const common = next.get(context.after ?? "")?.indexOf(spec.name) ?? -1;
  const recent = context.recent.indexOf(spec.name);
  return (
    (recent < 0 ? 0 : 24 - recent * 2) +
    (common < 0 ? 0 : 30 - common * 4) -
    (context.started && spec.work === "trigger" ? 60 : 0)
  );
}
