import assert from "node:assert/strict";
import { test } from "node:test";
import { KEYMAP } from "./keymap.ts";
import { keysOf, NO_OWN_KEYS, readOwnKeys, refusalOf } from "./rebind.ts";

test("without wishes the keys are the default ones", () => {
  assert.deepEqual(keysOf(KEYMAP, NO_OWN_KEYS), KEYMAP);
});

test("a command gets another key, and loses all it had", () => {
  const map = keysOf(KEYMAP, { combos: { redo: "mod+shift+y", add: "" }, noLetters: false });
  assert.equal(map["mod+shift+y"], "redo");
  assert.equal(map["mod+y"], undefined);
  assert.equal(map["mod+shift+z"], undefined);
  assert.equal(map["a"], undefined);
  assert.equal(map["c"], "connect");
});

test("letters can be switched off; arrows, Delete and Ctrl stay", () => {
  const map = keysOf(KEYMAP, { combos: {}, noLetters: true });
  for (const gone of ["a", "c", "shift+t", "?", "+", "-", "shift+1"])
    assert.equal(map[gone], undefined);
  for (const stays of ["arrowleft", "shift+arrowleft", "delete", "mod+z", "f2", "escape", "enter"])
    assert.equal(map[stays], KEYMAP[stays]);
});

test("a key that is taken, the browser's, or needed to get on is refused", () => {
  assert.deepEqual(refusalOf(KEYMAP, "tidy", "a"), { why: "taken", by: "add" });
  assert.deepEqual(refusalOf(KEYMAP, "tidy", "tab"), { why: "fixed" });
  assert.deepEqual(refusalOf(KEYMAP, "tidy", "mod+w"), { why: "browser" });
  assert.equal(refusalOf(KEYMAP, "tidy", "shift+t"), undefined);
  assert.equal(refusalOf(KEYMAP, "tidy", "mod+shift+l"), undefined);
});

test("what was stored badly counts for nothing", () => {
  assert.deepEqual(readOwnKeys("{", KEYMAP), NO_OWN_KEYS);
  assert.deepEqual(readOwnKeys('{"combos":{"nothing":"x","add":5,"tidy":"y"}}', KEYMAP), {
    combos: { tidy: "y" },
    noLetters: false,
  });
});
