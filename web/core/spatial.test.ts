import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box } from "./geometry.ts";
import { overlaps } from "./geometry.ts";
import { dice } from "./random-graph.ts";
import { Grid } from "./spatial.ts";

type Item = { box: Box };

test("it finds what a look at every box finds, while boxes move and go", () => {
  const random = dice(5);
  const grid = new Grid<Item>();
  const all = new Set<Item>();
  const place = (): Box => ({
    x: random() * 6_000 - 3_000,
    y: random() * 6_000 - 3_000,
    w: random() * 900,
    h: random() * 900,
  });
  for (let i = 0; i < 400; i++) {
    const item = { box: place() };
    grid.put(item);
    all.add(item);
  }
  for (let round = 0; round < 300; round++) {
    const item = [...all][Math.floor(random() * all.size)];
    if (item !== undefined && random() < 0.8) {
      item.box = place();
      grid.put(item);
    } else if (item !== undefined) {
      grid.drop(item);
      all.delete(item);
    }
    const area = place();
    const found = new Set(grid.find(area));
    const want = [...all].filter((t) => overlaps(t.box, area));
    assert.equal(found.size, want.length, `round ${round}`);
    assert.ok(want.every((t) => found.has(t)));
  }
  assert.equal(grid.size, all.size);
});

test("a huge area is answered too", () => {
  const grid = new Grid<Item>();
  grid.put({ box: { x: 0, y: 0, w: 10, h: 10 } });
  assert.equal(grid.find({ x: -1e9, y: -1e9, w: 2e9, h: 2e9 }).length, 1);
});
