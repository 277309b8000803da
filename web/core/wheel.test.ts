import assert from "node:assert/strict";
import { test } from "node:test";
import type { Meaning, Turn, WheelSetting } from "./wheel.ts";
import { meaningOf } from "./wheel.ts";

function turn(t: Partial<Turn>): Turn {
  return { deltaX: 0, deltaY: 0, deltaMode: 0, notch: 0, ctrl: false, shift: false, time: 0, ...t };
}

type Case = {
  readonly name: string;
  readonly turn: Partial<Turn>;
  readonly setting?: WheelSetting;
  readonly is: Meaning["is"];
};

const cases: readonly Case[] = [
  { name: "a notch of a wheel zooms", turn: { deltaY: 100, notch: -120 }, is: "zoom" },
  { name: "lines of a wheel zoom", turn: { deltaY: 3, deltaMode: 1, notch: -120 }, is: "zoom" },
  { name: "a scaled notch zooms", turn: { deltaY: 66.67, notch: -120 }, is: "zoom" },
  { name: "two fingers on a Mac pan", turn: { deltaY: 4, notch: -12 }, is: "pan" },
  {
    name: "also when the old measure looks like a notch",
    turn: { deltaY: 40, notch: -120 },
    is: "pan",
  },
  { name: "two fingers elsewhere pan", turn: { deltaY: 7, notch: -8 }, is: "pan" },
  { name: "two fingers aslant pan", turn: { deltaX: 3, deltaY: 100, notch: -120 }, is: "pan" },
  { name: "a pinch zooms", turn: { deltaY: 1.3, notch: -3, ctrl: true }, is: "zoom" },
  { name: "a wheel with Shift pans", turn: { deltaX: 100, notch: -120, shift: true }, is: "pan" },
  {
    name: "set to pan a notch pans",
    turn: { deltaY: 100, notch: -120 },
    setting: "pan",
    is: "pan",
  },
  {
    name: "set to pan a pinch still zooms",
    turn: { deltaY: 1.3, ctrl: true },
    setting: "pan",
    is: "zoom",
  },
  {
    name: "set to zoom two fingers zoom",
    turn: { deltaY: 4, notch: -12 },
    setting: "zoom",
    is: "zoom",
  },
];

for (const c of cases) {
  test(`wheel: ${c.name}`, () => {
    assert.equal(meaningOf(turn(c.turn), c.setting ?? "auto").meaning.is, c.is);
  });
}

test("one gesture is read in one way, the next one anew", () => {
  const first = meaningOf(turn({ deltaY: 4, notch: -12 }), "auto");
  const later = meaningOf(turn({ deltaY: 100, notch: -120, time: 200 }), "auto", first.memory);
  assert.equal(later.meaning.is, "pan");
  const anew = meaningOf(turn({ deltaY: 100, notch: -120, time: 5_000 }), "auto", later.memory);
  assert.equal(anew.meaning.is, "zoom");
});

test("one notch changes the zoom by about a quarter", () => {
  const { meaning } = meaningOf(turn({ deltaY: 100, notch: -120 }), "auto");
  assert.ok(meaning.is === "zoom" && meaning.factor > 0.75 && meaning.factor < 0.85);
});
