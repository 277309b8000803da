// A person's own keys, over the default ones.

import type { Command } from "./keymap.ts";

type Map = Readonly<Record<string, Command>>;

/** What a person changed: the combination of a command, "" for none; and whether letters count. */
export type OwnKeys = {
  readonly combos: Readonly<Partial<Record<Command, string>>>;
  /** Keys without Ctrl, Alt or Cmd that type a sign do nothing (WCAG 2.1.4). */
  readonly noLetters: boolean;
};

export const NO_OWN_KEYS: OwnKeys = { combos: {}, noLetters: false };

/** Keys that move the focus or leave something: nobody may lose them. */
const fixed: ReadonlySet<string> = new Set(["tab", "shift+tab", "escape", "enter", "space", "f6"]);

/** Browsers keep these for themselves. */
const browsers = /^mod\+(?:shift\+)?[twn]$|^mod\+\d$/;

/** The keys as they are for this person. */
export function keysOf(defaults: Map, own: OwnKeys): Record<string, Command> {
  const made: Record<string, Command> = {};
  for (const [combo, command] of Object.entries(defaults))
    if (own.combos[command] === undefined) made[combo] = command;
  for (const [command, combo] of Object.entries(own.combos))
    if (combo) made[combo] = command as Command;
  if (own.noLetters) for (const combo of Object.keys(made)) if (isLetter(combo)) delete made[combo];
  return made;
}

function isLetter(combo: string): boolean {
  const key = combo.replace(/^shift\+/, "");
  return key.length === 1 || combo === "+";
}

export type Refusal = { readonly why: "fixed" | "browser" | "taken"; readonly by?: Command };

/** Why a combination cannot be a command's; undefined: it can. */
export function refusalOf(map: Map, command: Command, combo: string): Refusal | undefined {
  if (fixed.has(combo)) return { why: "fixed" };
  if (browsers.test(combo)) return { why: "browser" };
  const by = map[combo];
  return by !== undefined && by !== command ? { why: "taken", by } : undefined;
}

/** What was stored, as far as it can be understood. */
export function readOwnKeys(text: string | null, defaults: Map): OwnKeys {
  try {
    const raw: unknown = JSON.parse(text ?? "null");
    if (typeof raw !== "object" || raw === null) return NO_OWN_KEYS;
    const known = new Set<string>(Object.values(defaults));
    const stored: unknown = Reflect.get(raw, "combos");
    const combos = Object.fromEntries(
      Object.entries(typeof stored === "object" && stored !== null ? stored : {}).filter(
        ([command, combo]) => known.has(command) && typeof combo === "string",
      ),
    ) as Partial<Record<Command, string>>;
    return { combos, noLetters: Reflect.get(raw, "noLetters") === true };
  } catch {
    return NO_OWN_KEYS;
  }
}
