import assert from "node:assert/strict";
import { test } from "node:test";
import { curveBetween } from "./curve.ts";
import { spotOn } from "./edge-label.ts";

const line = curveBetween({ x: 0, y: 0 }, { x: 400, y: 0 });

test("a label stands in the middle of its line, as wide as it is", () => {
  const spot = spotOn(line, 80, []);
  assert.deepEqual(spot, { at: { x: 200, y: 0 }, room: 80 });
});

test("a card in the middle sends it along the line", () => {
  const spot = spotOn(line, 80, [{ x: 180, y: -50, w: 60, h: 100 }]);
  assert.ok(spot);
  assert.equal(spot.room, 80);
  const clear = spot.at.x + 40 + 8 <= 180 || spot.at.x - 40 - 8 >= 240;
  assert.ok(clear, `it stands at ${spot.at.x}`);
});

const left = { x: -200, y: -28, w: 200, h: 56 };
const right = { x: 72, y: -28, w: 200, h: 56 };
const short = curveBetween({ x: 0, y: 0 }, { x: 72, y: 0 });

test("between two near cards a short one stands on its line, a long one above, tied to it", () => {
  assert.deepEqual(spotOn(short, 40, [left, right]), { at: { x: 36, y: 0 }, room: 40 });
  const above = spotOn(short, 120, [left, right]);
  assert.deepEqual(above, { at: { x: 36, y: -48 }, room: 120, tie: { x: 36, y: 0 } });
});

test("where there are cards all around it gets what room there is, or none", () => {
  const walls = [left, right].map((c) => ({ ...c, y: -300, h: 600 }));
  assert.deepEqual(spotOn(short, 120, walls), { at: { x: 36, y: 0 }, room: 56 });
  const near = walls.map((c) => ({ ...c, x: c.x > 0 ? 40 : c.x }));
  assert.equal(spotOn(curveBetween({ x: 0, y: 0 }, { x: 40, y: 0 }), 120, near), undefined);
});

test("the middle is left free where a sign stands", () => {
  assert.notEqual(spotOn(line, 60, [], false)?.at.x, 200);
});
