import assert from "node:assert/strict";
import { test } from "node:test";
import { encloses } from "../core/geometry.ts";
import { View } from "./view.ts";

function view(): View {
  const v = new View();
  v.size = { w: 1_050, h: 600 };
  v.insets = { left: 50, right: 0, top: 0, bottom: 0 };
  v.go({ x: 40, y: -20, z: 0.8 }, false);
  return v;
}

const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;

test("there and back again", () => {
  const v = view();
  const back = v.toScreen(v.toWorld({ x: 123, y: 456 }));
  assert.ok(near(back.x, 123) && near(back.y, 456));
});

test("zooming keeps the place under the pointer, also at the limits", () => {
  for (const z of [0.001, 0.3, 2, 99]) {
    const v = view();
    const at = { x: 300, y: 200 };
    const before = v.toWorld(at);
    v.go(v.zoomed(z, at), false);
    const after = v.toWorld(at);
    assert.ok(near(before.x, after.x) && near(before.y, after.y), `at ${z}`);
    assert.ok(v.camera.z >= 0.05 && v.camera.z <= 2.5);
  }
});

test("a box is fitted into the open part and not blown up", () => {
  const v = view();
  assert.equal(v.fitting({ x: 0, y: 0, w: 100, h: 50 }).z, 1);
  const large = { x: -900, y: 30, w: 4_000, h: 900 };
  v.go(v.fitting(large), false);
  assert.ok(encloses(v.open, v.boxToScreen(large)));
});

test("what is in view is left where it is, what is not comes in", () => {
  const v = view();
  v.go({ x: 0, y: 0, z: 1 }, false);
  assert.deepEqual(v.revealing({ x: 200, y: 100, w: 200, h: 50 }), { x: 0, y: 0, z: 1 });
  for (const box of [
    { x: 1_000, y: 100, w: 200, h: 50 },
    { x: 0, y: -70, w: 200, h: 50 },
  ]) {
    v.go({ x: 0, y: 0, z: 1 }, false);
    v.go(v.revealing(box), false);
    assert.ok(encloses(v.open, v.boxToScreen(box)));
  }
});

test("a glide starts where it is, ends where it should, and takes a fifth of a second", () => {
  const v = view();
  const start = v.camera;
  const to = { x: -700, y: 90, z: 2 };
  v.go(to, true);
  v.tick(1_000);
  assert.ok(near(v.camera.x, start.x) && near(v.camera.z, start.z));
  v.tick(1_100);
  assert.ok(v.camera.z > start.z && v.camera.z < 2);
  v.tick(1_201);
  assert.deepEqual([v.camera, v.gliding], [to, false]);
});
