// How keys are written on this machine.

import type { Command } from "../../core/keymap.ts";
import { KEYMAP } from "../../core/keymap.ts";

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

const signs: Readonly<Record<string, string>> = {
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  enter: "↵",
  escape: "Esc",
  delete: "Del",
  backspace: "⌫",
  space: "Space",
};

/** "mod+shift+z" as "⇧⌘Z" or "Ctrl+Shift+Z". */
export function keyWords(combo: string): string {
  const parts = combo.split("+");
  const key = parts.at(-1) === "" ? "+" : (parts.at(-1) ?? "");
  const word =
    signs[key] ??
    (key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1));
  if (apple)
    return `${parts.includes("alt") ? "⌥" : ""}${parts.includes("shift") ? "⇧" : ""}${parts.includes("mod") ? "⌘" : ""}${word}`;
  const shift = parts.includes("shift");
  const mods = [parts.includes("mod") ? "Ctrl" : "", parts.includes("alt") ? "Alt" : ""].filter(
    Boolean,
  );
  if (mods.length === 0) return shift ? `⇧${word}` : word;
  return [...mods, ...(shift ? ["Shift"] : []), word].join("+");
}

/** The first key of a command, as written on this machine. */
export function keyOf(command: Command): string | undefined {
  const combo = Object.entries(KEYMAP).find(([, c]) => c === command)?.[0];
  return combo === undefined ? undefined : keyWords(combo);
}
