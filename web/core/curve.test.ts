import assert from "node:assert/strict";
import { test } from "node:test";
import { curveBetween, curveBox, distanceTo, flatten, pointAt } from "./curve.ts";
import type { Point } from "./geometry.ts";
import { contains, grow } from "./geometry.ts";

const pairs: readonly (readonly [string, Point, Point])[] = [
  ["straight on", { x: 0, y: 0 }, { x: 300, y: 0 }],
  ["down", { x: 0, y: 0 }, { x: 40, y: 300 }],
  ["back and up", { x: 600, y: 400 }, { x: 0, y: 0 }],
  ["back at one height", { x: 600, y: 0 }, { x: 0, y: 10 }],
];

for (const [name, a, b] of pairs) {
  test(`${name}: it starts and ends where it should and leaves to the right`, () => {
    const points = flatten(curveBetween(a, b));
    assert.deepEqual([points[0], points.at(-1)], [a, b]);
    assert.ok((points[1]?.x ?? 0) > a.x, "out of the port");
    assert.ok((points.at(-2)?.x ?? 0) < b.x, "into the entry from its left");
  });

  test(`${name}: the box holds every point, and every point is on the curve`, () => {
    const curve = curveBetween(a, b);
    const box = grow(curveBox(curve), 0.001);
    for (const p of flatten(curve)) {
      assert.ok(contains(box, p));
      assert.ok(distanceTo(curve, p) < 0.001);
    }
  });

  test(`${name}: shares are of the length`, () => {
    const curve = curveBetween(a, b);
    for (const [share, end] of [
      [0, a],
      [1, b],
    ] as const) {
      const p = pointAt(curve, share);
      assert.ok(Math.hypot(p.x - end.x, p.y - end.y) < 1e-6);
    }
    const steps = Array.from({ length: 41 }, (_, i) => pointAt(curve, i / 40));
    const lengths = steps
      .slice(1)
      .map((p, i) => Math.hypot(p.x - (steps[i]?.x ?? 0), p.y - (steps[i]?.y ?? 0)));
    assert.ok(Math.max(...lengths) < Math.min(...lengths) * 1.25, "evenly");
  });
}

test("a way back at one height runs below both", () => {
  const middle = pointAt(curveBetween({ x: 600, y: 0 }, { x: 0, y: 10 }), 0.5);
  assert.ok(middle.y > 80);
});

test("how far away", () => {
  const curve = curveBetween({ x: 0, y: 0 }, { x: 300, y: 0 });
  assert.ok(Math.abs(distanceTo(curve, { x: 150, y: 7 }) - 7) < 1e-9);
  assert.ok(Math.abs(distanceTo(curve, { x: 310, y: 0 }) - 10) < 1e-9);
});
