import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, KeyPress } from "./keymap.ts";
import { comboOf, KEYMAP } from "./keymap.ts";

function press(key: string, code: string, mods: Partial<KeyPress> = {}): KeyPress {
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...mods };
}

const cases: readonly (readonly [string, KeyPress, Command | undefined])[] = [
  ["a letter", press("a", "KeyA"), "add"],
  ["a letter with caps lock", press("A", "KeyA"), "add"],
  ["Ctrl", press("a", "KeyA", { ctrlKey: true }), "selectAll"],
  ["⌘ and Shift", press("Z", "KeyZ", { metaKey: true, shiftKey: true }), "redo"],
  ["a digit under Shift", press("!", "Digit1", { shiftKey: true }), "fitAll"],
  ["a sign that needs Shift", press("?", "Slash", { shiftKey: true }), "help"],
  ["plus with Shift", press("+", "Equal", { shiftKey: true }), "zoomIn"],
  ["plus on the number pad", press("+", "NumpadAdd"), "zoomIn"],
  ["Space", press(" ", "Space"), "toggle"],
  ["an arrow with Alt", press("ArrowRight", "ArrowRight", { altKey: true }), "followDown"],
  ["Ctrl and a tab number stay the browser's", press("1", "Digit1", { ctrlKey: true }), undefined],
];

for (const [name, key, want] of cases) {
  test(`key: ${name}`, () => assert.equal(KEYMAP[comboOf(key)], want));
}

test("Tab moves the focus and is nobody's command", () => {
  assert.equal(
    Object.keys(KEYMAP).some((combo) => combo.endsWith("tab")),
    false,
  );
});
