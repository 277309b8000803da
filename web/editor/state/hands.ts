// How this person works with keys and mouse; kept in the browser, since it
// belongs to the machine as much as to the person.

import { signal } from "@preact/signals";
import { type Command, KEYMAP } from "../../core/keymap.ts";
import { keysOf, type OwnKeys, readOwnKeys } from "../../core/rebind.ts";
import type { Wheel } from "../../kernel/api.ts";
import type { Editor } from "./editor.ts";

const keysPlace = "sb-keys";
const wheelPlace = "sb-wheel";
const wheels: readonly Wheel[] = ["auto", "pan", "zoom"];

/** The keys as the program brings them. */
export const defaults: Readonly<Record<string, Command>> = { ...KEYMAP };

export const ownKeys = signal<OwnKeys>(readOwnKeys(stored(keysPlace), defaults));
export const wheel = signal<Wheel>(wheels.find((w) => w === stored(wheelPlace)) ?? "auto");

function stored(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

function store(place: string, text: string): void {
  try {
    localStorage.setItem(place, text);
  } catch {
    // It lasts as long as the page.
  }
}

/** Sets keys and wheel as they were left. */
export function bindHands(editor: Editor): void {
  apply(ownKeys.value);
  editor.kernel.setWheel(wheel.value);
}

// Canvas, page and lists all read the one map of keys.
function apply(own: OwnKeys): void {
  for (const combo of Object.keys(KEYMAP)) delete KEYMAP[combo];
  Object.assign(KEYMAP, keysOf(defaults, own));
}

export function setOwnKeys(own: OwnKeys): void {
  ownKeys.value = own;
  apply(own);
  store(keysPlace, JSON.stringify(own));
}

export function setWheel(editor: Editor, next: Wheel): void {
  wheel.value = next;
  editor.kernel.setWheel(next);
  store(wheelPlace, next);
}
