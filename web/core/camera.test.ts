import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blend,
  boxToScreen,
  fitBox,
  revealBox,
  toScreen,
  toWorld,
  ZOOM,
  zoomAt,
} from "./camera.ts";
import { encloses } from "./geometry.ts";

const camera = { x: 40, y: -20, z: 0.8 };
const view = { x: 50, y: 0, w: 1000, h: 600 };

test("there and back again", () => {
  const p = { x: 123, y: 456 };
  const back = toScreen(camera, toWorld(camera, p));
  assert.ok(Math.abs(back.x - p.x) < 1e-9 && Math.abs(back.y - p.y) < 1e-9);
});

test("zooming keeps the place under the pointer, also at the limits", () => {
  const at = { x: 300, y: 200 };
  for (const z of [0.001, 0.3, 2, 99]) {
    const to = zoomAt(camera, z, at);
    const a = toWorld(camera, at);
    const b = toWorld(to, at);
    assert.ok(Math.abs(a.x - b.x) < 1e-6 && Math.abs(a.y - b.y) < 1e-6);
    assert.ok(to.z >= ZOOM.min && to.z <= ZOOM.max);
  }
});

test("a box is fitted into the middle and not blown up", () => {
  const small = fitBox({ x: 0, y: 0, w: 100, h: 50 }, view, 1);
  assert.deepEqual(small, { x: 500, y: 275, z: 1 });
  const large = { x: -900, y: 30, w: 4_000, h: 900 };
  const to = fitBox(large, view, 1);
  const shown = boxToScreen(to, large);
  assert.ok(encloses({ x: 49.9, y: -0.1, w: 1000.2, h: 600.2 }, shown));
});

test("what is in view is left where it is, what is not comes just in", () => {
  const one = { x: 0, y: 0, z: 1 };
  assert.deepEqual(revealBox(one, { x: 100, y: 100, w: 200, h: 50 }, view), one);
  assert.deepEqual(revealBox(one, { x: 1_000, y: 100, w: 200, h: 50 }, view), {
    x: -150,
    y: 0,
    z: 1,
  });
  assert.deepEqual(revealBox(one, { x: 0, y: -70, w: 200, h: 50 }, view), { x: 50, y: 70, z: 1 });
  assert.deepEqual(
    revealBox(one, { x: 0, y: 0, w: 5_000, h: 50 }, view).x,
    50,
    "too wide: its start",
  );
});

test("a glide starts and ends where it should, and its middle lies between", () => {
  const to = { x: -700, y: 90, z: 2 };
  const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;
  const start = blend(camera, to, 0, view);
  assert.ok(near(start.x, camera.x) && near(start.y, camera.y) && near(start.z, camera.z));
  assert.deepEqual(blend(camera, to, 1, view), to);
  const mid = blend(camera, to, 0.5, view);
  assert.ok(mid.z > camera.z && mid.z < to.z);
});
