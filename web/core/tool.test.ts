import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect, Input, Modifiers, Rules, Target, Tool, Touch } from "./gesture.ts";
import { IDLE, next, torn } from "./tool.ts";

// Each table line plays a gesture. Screen and world are the same here.

const edits: Rules = { readOnly: false };
const plain: Modifiers = { shift: false, alt: false, mod: false };
const ground: Target = { is: "ground" };
const a: Target = { is: "node", id: "a" };
const b: Target = { is: "node", id: "b" };
const port: Target = { is: "port", id: "a", port: "success" };
const input: Target = { is: "input", id: "b" };

type Press = {
  readonly on?: Target;
  readonly button?: number;
  readonly touch?: Touch;
  readonly mods?: Partial<Modifiers>;
  readonly selected?: boolean;
  readonly hand?: boolean;
  readonly area?: boolean;
  readonly pointer?: number;
};

function down(x: number, y: number, p: Press = {}): Input {
  const at = { x, y };
  return {
    is: "down",
    pointer: p.pointer ?? 1,
    touch: p.touch ?? "mouse",
    button: p.button ?? 0,
    at,
    world: at,
    mods: { ...plain, ...p.mods },
    target: p.on ?? ground,
    selected: p.selected ?? false,
    hand: p.hand ?? false,
    area: p.area ?? false,
  };
}

function move(
  x: number,
  y: number,
  over: Target = ground,
  mods: Partial<Modifiers> = {},
  pointer = 1,
): Input {
  const at = { x, y };
  return { is: "move", pointer, at, world: at, mods: { ...plain, ...mods }, target: over };
}

function up(x: number, y: number, over: Target = ground, pointer = 1): Input {
  const at = { x, y };
  return { is: "up", pointer, at, world: at, mods: plain, target: over };
}

function play(
  inputs: readonly Input[],
  rules = edits,
  from: Tool = IDLE,
): { tool: Tool; effects: Effect[] } {
  let tool = from;
  const effects: Effect[] = [];
  for (const i of inputs) {
    const turn = next(tool, i, rules);
    tool = turn.tool;
    effects.push(...turn.effects);
  }
  return { tool, effects };
}

type Case = {
  readonly name: string;
  readonly play: readonly Input[];
  readonly rules?: Rules;
  /** The state at the end. */
  readonly ends: Tool["is"];
  readonly effects: readonly Effect[];
};

const finger: Press = { touch: "touch" };
const dragBy = (dx: number, dy: number, more: { copy?: boolean; free?: boolean } = {}): Effect => ({
  do: "drag",
  dx,
  dy,
  at: { x: dx, y: dy },
  copy: more.copy ?? false,
  free: more.free ?? false,
});

const cases: readonly Case[] = [
  {
    name: "a click on the ground clears the selection",
    play: [down(0, 0), up(0, 0)],
    ends: "idle",
    effects: [{ do: "clear" }],
  },
  {
    name: "a click with Shift on the ground keeps it",
    play: [down(0, 0, { mods: { shift: true } }), up(0, 0)],
    ends: "idle",
    effects: [],
  },
  {
    name: "a press selects a card at once",
    play: [down(0, 0, { on: a })],
    ends: "press",
    effects: [{ do: "select", target: a, how: "only" }],
  },
  {
    name: "a press on one of many keeps the others, letting go leaves it alone",
    play: [down(0, 0, { on: a, selected: true }), up(0, 0)],
    ends: "idle",
    effects: [{ do: "select", target: a, how: "only" }],
  },
  {
    name: "a click with Shift adds",
    play: [down(0, 0, { on: a, mods: { shift: true } }), up(0, 0)],
    ends: "idle",
    effects: [{ do: "select", target: a, how: "toggle" }],
  },
  {
    name: "two pixels are no drag",
    play: [down(0, 0, { on: a, selected: true }), move(2, 0), up(2, 0)],
    ends: "idle",
    effects: [{ do: "select", target: a, how: "only" }],
  },
  {
    name: "three pixels are, and the whole way counts",
    play: [down(0, 0, { on: a, selected: true }), move(3, 0), move(20, 5), up(20, 5)],
    ends: "idle",
    effects: [dragBy(3, 0), dragBy(20, 5), { do: "dragEnd", copy: false, edge: undefined }],
  },
  {
    name: "Alt makes copies, Ctrl ignores the grid, as long as they are held",
    play: [
      down(0, 0, { on: a, selected: true }),
      move(9, 0, ground, { alt: true }),
      move(9, 1, ground, { mod: true }),
      move(9, 2, ground, { alt: true }),
      up(9, 2),
    ],
    ends: "idle",
    effects: [
      dragBy(9, 0, { copy: true }),
      dragBy(9, 1, { free: true }),
      dragBy(9, 2, { copy: true }),
      { do: "dragEnd", copy: true, edge: undefined },
    ],
  },
  {
    name: "Shift and a drag take the card into the selection",
    play: [down(0, 0, { on: a, mods: { shift: true } }), move(5, 0)],
    ends: "drag",
    effects: [{ do: "select", target: a, how: "toggle" }, dragBy(5, 0)],
  },
  {
    name: "Escape takes a drag back",
    play: [
      down(0, 0, { on: a, selected: true }),
      move(5, 0),
      { is: "cancel" },
      move(9, 9),
      up(9, 9),
    ],
    ends: "idle",
    effects: [dragBy(5, 0), { do: "revert" }],
  },
  {
    name: "a card that rests on an edge is inserted there",
    play: [down(0, 0, { on: a, selected: true }), move(5, 0), { is: "lay", edge: "e1" }, up(5, 0)],
    ends: "idle",
    effects: [dragBy(5, 0), { do: "dragEnd", copy: false, edge: "e1" }],
  },
  {
    name: "and not when it went on",
    play: [
      down(0, 0, { on: a, selected: true }),
      move(5, 0),
      { is: "lay", edge: "e1" },
      { is: "lay", edge: undefined },
      up(5, 0),
    ],
    ends: "idle",
    effects: [dragBy(5, 0), { do: "dragEnd", copy: false, edge: undefined }],
  },
  {
    name: "a drag on the ground is a marquee",
    play: [down(0, 0), move(10, 10), up(20, 20)],
    ends: "idle",
    effects: [
      { do: "marquee", from: { x: 0, y: 0 }, to: { x: 10, y: 10 }, add: false, end: false },
      { do: "marquee", from: { x: 0, y: 0 }, to: { x: 20, y: 20 }, add: false, end: true },
    ],
  },
  {
    name: "a marquee with Ctrl adds",
    play: [down(0, 0, { mods: { mod: true } }), move(10, 10)],
    ends: "marquee",
    effects: [{ do: "marquee", from: { x: 0, y: 0 }, to: { x: 10, y: 10 }, add: true, end: false }],
  },
  {
    name: "the middle button pans, also over a card",
    play: [down(0, 0, { on: a, button: 1 }), move(10, 5), move(12, 5), up(12, 5)],
    ends: "idle",
    effects: [
      { do: "pan", dx: 10, dy: 5 },
      { do: "pan", dx: 2, dy: 0 },
    ],
  },
  {
    name: "with Space everything pans",
    play: [down(0, 0, { on: a, hand: true }), move(10, 5)],
    ends: "pan",
    effects: [{ do: "pan", dx: 10, dy: 5 }],
  },
  {
    name: "the secondary button selects what it meets",
    play: [down(0, 0, { on: a, button: 2 })],
    ends: "idle",
    effects: [{ do: "select", target: a, how: "only" }],
  },
  {
    name: "and keeps a selection that it meets",
    play: [down(0, 0, { on: a, button: 2, selected: true })],
    ends: "idle",
    effects: [],
  },
  {
    name: "a drag from a port connects",
    play: [down(0, 0, { on: port }), move(30, 0), up(60, 0, input)],
    ends: "idle",
    effects: [
      { do: "connecting" },
      {
        do: "connectEnd",
        fixed: { end: "from", id: "a", port: "success" },
        edge: undefined,
        over: input,
        at: { x: 60, y: 0 },
      },
    ],
  },
  {
    name: "a drag from an input connects backwards",
    play: [down(0, 0, { on: input }), move(-30, 0), up(-60, 0)],
    ends: "idle",
    effects: [
      { do: "connecting" },
      {
        do: "connectEnd",
        fixed: { end: "to", id: "b" },
        edge: undefined,
        over: ground,
        at: { x: -60, y: 0 },
      },
    ],
  },
  {
    name: "the end of an edge is torn off",
    play: [down(0, 0, { on: { is: "edge", id: "e1", end: "to" }, selected: true }), move(5, 0)],
    ends: "idle",
    effects: [{ do: "tear", edge: "e1", end: "to" }],
  },
  {
    name: "its middle is not: that is a marquee",
    play: [down(0, 0, { on: { is: "edge", id: "e1" }, selected: true }), move(5, 0)],
    ends: "marquee",
    effects: [{ do: "marquee", from: { x: 0, y: 0 }, to: { x: 5, y: 0 }, add: false, end: false }],
  },
  {
    name: "a note's corner resizes it",
    play: [
      down(0, 0, { on: { is: "note", id: "n", corner: true } }),
      move(5, 0),
      move(10, 4),
      up(12, 4),
    ],
    ends: "idle",
    effects: [
      { do: "resize", id: "n", grip: undefined, dx: 10, dy: 4, end: false },
      { do: "resize", id: "n", grip: undefined, dx: 12, dy: 4, end: true },
    ],
  },
  {
    name: "a frame's border stretches it",
    play: [down(0, 0, { on: { is: "node", id: "g", grip: "se" } }), move(5, 0), up(12, 4)],
    ends: "idle",
    effects: [{ do: "resize", id: "g", grip: "se", dx: 12, dy: 4, end: true }],
  },
  {
    name: "a click on a frame's border selects it",
    play: [
      down(0, 0, { on: { is: "node", id: "g", grip: "e" } }),
      up(0, 0, { is: "node", id: "g" }),
    ],
    ends: "idle",
    effects: [{ do: "select", target: { is: "node", id: "g", grip: "e" }, how: "only" }],
  },
  {
    name: "read only: a card slides the paper",
    rules: { readOnly: true },
    play: [down(0, 0, { on: a }), move(10, 0), up(10, 0)],
    ends: "idle",
    effects: [
      { do: "select", target: a, how: "only" },
      { do: "pan", dx: 10, dy: 0 },
    ],
  },
  {
    name: "read only: a port is a part of its card",
    rules: { readOnly: true },
    play: [down(0, 0, { on: port, selected: true }), move(10, 0)],
    ends: "pan",
    effects: [{ do: "pan", dx: 10, dy: 0 }],
  },
  {
    name: "one finger slides the paper, also over a card",
    play: [down(0, 0, { ...finger, on: a }), move(12, 0), move(20, 0)],
    ends: "pan",
    effects: [{ do: "hold" }, { do: "pan", dx: 12, dy: 0 }, { do: "pan", dx: 8, dy: 0 }],
  },
  {
    name: "a finger trembles without harm",
    play: [down(0, 0, { ...finger, on: a }), move(8, 0), up(8, 0)],
    ends: "idle",
    effects: [{ do: "hold" }, { do: "select", target: a, how: "only" }],
  },
  {
    name: "a finger that rested moves the card",
    play: [down(0, 0, { ...finger, on: a }), { is: "held", long: false }, move(12, 0)],
    ends: "drag",
    effects: [{ do: "hold" }, { do: "select", target: a, how: "only" }, dragBy(12, 0)],
  },
  {
    name: "a selected card moves at once",
    play: [down(0, 0, { ...finger, on: a, selected: true }), move(12, 0)],
    ends: "drag",
    effects: [{ do: "hold" }, dragBy(12, 0)],
  },
  {
    name: "a long press is the menu",
    play: [
      down(0, 0, { ...finger, on: a }),
      { is: "held", long: false },
      { is: "held", long: true },
      up(0, 0),
    ],
    ends: "idle",
    effects: [
      { do: "hold" },
      { do: "select", target: a, how: "keep" },
      { do: "menu", target: a, at: { x: 0, y: 0 } },
    ],
  },
  {
    name: "tap a port, tap a card: they are connected",
    play: [
      down(0, 0, { ...finger, on: port }),
      up(0, 0, port),
      down(90, 0, { ...finger, on: b, pointer: 2 }),
      up(90, 0, b, 2),
    ],
    ends: "idle",
    effects: [
      { do: "hold" },
      { do: "connecting" },
      {
        do: "connectEnd",
        fixed: { end: "from", id: "a", port: "success" },
        edge: undefined,
        over: b,
        at: { x: 90, y: 0 },
      },
    ],
  },
  {
    name: "two fingers zoom and slide, and the one that stays goes on sliding",
    play: [
      down(0, 0, finger),
      down(100, 0, { ...finger, pointer: 2 }),
      move(200, 0, ground, {}, 2),
      up(200, 0, ground, 2),
      move(10, 0),
    ],
    ends: "pan",
    effects: [
      { do: "hold" },
      { do: "pinch", factor: 2, at: { x: 100, y: 0 }, dx: 50, dy: 0 },
      { do: "pan", dx: 10, dy: 0 },
    ],
  },
  {
    name: "another finger does not disturb a drag",
    play: [
      down(0, 0, { on: a, selected: true }),
      move(5, 0),
      down(50, 50, { ...finger, pointer: 2 }),
      move(60, 60, ground, {}, 2),
      up(60, 60, ground, 2),
    ],
    ends: "drag",
    effects: [dragBy(5, 0)],
  },
];

for (const c of cases) {
  test(`gesture: ${c.name}`, () => {
    const got = play(c.play, c.rules);
    assert.deepEqual(got.effects, c.effects);
    assert.equal(got.tool.is, c.ends);
  });
}

test("a torn edge ends like a new one, and remembers what it was", () => {
  const from = torn(1, "e1", { end: "from", id: "a", port: "success" }, { x: 0, y: 0 });
  const { tool, effects } = play([move(10, 0, b), up(20, 0, b)], edits, from);
  assert.equal(tool.is, "idle");
  const last = effects.at(-1);
  assert.ok(last?.do === "connectEnd");
  assert.deepEqual([last.edge, last.over], ["e1", b]);
});

test("whatever comes in, no gesture is left once every finger is up and Escape is pressed", () => {
  const targets: readonly Target[] = [
    ground,
    a,
    port,
    input,
    { is: "edge", id: "e", end: "from" },
    { is: "note", id: "n" },
  ];
  let state = 1;
  const roll = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % n;
  };
  for (let round = 0; round < 2_000; round++) {
    let tool: Tool = IDLE;
    for (let i = 0; i < 12; i++) {
      const on = targets[roll(targets.length)] ?? ground;
      const pointer = 1 + roll(2);
      const touch: Touch = roll(2) === 0 ? "mouse" : "touch";
      const inputs: readonly Input[] = [
        down(roll(50), roll(50), { on, touch, pointer, button: roll(3), selected: roll(2) === 0 }),
        move(roll(50), roll(50), on, {}, pointer),
        up(roll(50), roll(50), on, pointer),
        { is: "held", long: roll(2) === 0 },
        { is: "lay", edge: "e" },
      ];
      tool = next(tool, inputs[roll(inputs.length)] ?? { is: "cancel" }, {
        readOnly: roll(2) === 0,
      }).tool;
    }
    assert.equal(next(tool, { is: "cancel" }, edits).tool.is, "idle");
  }
});
