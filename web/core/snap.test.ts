import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box } from "./geometry.ts";
import type { Guide } from "./snap.ts";
import { loose, snap } from "./snap.ts";

const card = (x: number, y: number, w = 208, h = 56): Box => ({ x, y, w, h });

type Case = {
  readonly name: string;
  readonly start?: Box;
  readonly by: readonly [number, number];
  readonly neighbors: readonly Box[];
  readonly want: readonly [number, number];
  readonly guides?: readonly Partial<Guide>[];
};

const cases: readonly Case[] = [
  { name: "alone it goes to the grid", by: [13, 3], neighbors: [], want: [16, 0] },
  {
    name: "what lies off the grid comes onto it",
    start: card(3, 3),
    by: [0, 0],
    neighbors: [],
    want: [-3, -3],
  },
  {
    name: "a left edge in line pulls, also off the grid",
    by: [104, 200],
    neighbors: [card(101, 0)],
    want: [101, 200],
    guides: [{ is: "line", axis: "x", at: 101 }],
  },
  {
    name: "centers pull",
    start: card(0, 200, 100, 50),
    by: [52, 0],
    neighbors: [card(0, 0, 208, 56)],
    want: [54, 0],
    guides: [{ is: "line", axis: "x", at: 104 }],
  },
  {
    name: "seven pixels are too far to pull",
    by: [107, 200],
    neighbors: [card(100, 0)],
    want: [104, 200],
  },
  {
    name: "the nearer of two lines wins",
    by: [103, 200],
    neighbors: [card(98, 0), card(105, 400)],
    want: [105, 200],
  },
  {
    name: "between two it stops at equal gaps",
    start: card(0, 4),
    by: [305, 0],
    neighbors: [card(0, 0, 208, 50), card(622, 12, 208, 50)],
    want: [311, -4],
    guides: [{ is: "gap", axis: "x" }],
  },
  {
    name: "after two it keeps their gap",
    start: card(0, 4),
    by: [610, 0],
    neighbors: [card(0, 0, 208, 50), card(303, 0, 208, 50)],
    want: [606, -4],
    guides: [{ is: "gap", axis: "x" }],
  },
  {
    name: "in line with a card above and at equal gaps it shows both",
    start: card(0, 200),
    by: [602, 0],
    neighbors: [card(0, 200), card(300, 200), card(600, 0)],
    want: [600, 0],
    guides: [
      { is: "line", axis: "x", at: 600 },
      { is: "gap", axis: "x" },
    ],
  },
  {
    name: "equal gaps that are nearer than a line win",
    start: card(0, 200),
    by: [601, 0],
    neighbors: [card(0, 200), card(300, 200), card(606, 0)],
    want: [600, 0],
  },
];

for (const c of cases) {
  test(`snap: ${c.name}`, () => {
    const got = snap(c.start ?? card(0, 0), c.by[0], c.by[1], c.neighbors, 6);
    assert.equal(got.dx, c.want[0], "dx");
    if (c.guides === undefined) assert.equal(got.dy, c.want[1], "dy");
    for (const want of c.guides ?? []) {
      const found = got.guides.find((g) =>
        Object.entries(want).every(([k, v]) => g[k as keyof Guide] === v),
      );
      assert.ok(found, `${JSON.stringify(want)} among ${JSON.stringify(got.guides)}`);
    }
  });
}

test("a guide reaches over both boxes", () => {
  const { guides } = snap(card(0, 0), 0, 200, [card(0, 0)], 6);
  const line = guides.find((g) => g.is === "line" && g.axis === "x" && g.at === 0);
  assert.ok(line?.is === "line");
  assert.deepEqual([line.from, line.to], [0, 256]);
});

test("without snapping a place is still a whole number", () => {
  assert.deepEqual(loose(1.4, -2.6), { dx: 1, dy: -3, guides: [] });
});
