import assert from "node:assert/strict";
import { test } from "node:test";
import { setWords } from "../core/strings.ts";
import { Drops } from "./drops.ts";

setWords({ "kernel.rate": "{n}/s" });

test("a drop runs at one speed, whatever the length of its edge", () => {
  const drops = new Drops();
  drops.add("short", 160, 0);
  drops.add("long", 640, 0);
  const at = new Map(drops.at(250).map((d) => [d.edge, d.share]));
  assert.equal((at.get("short") ?? 0) * 160, (at.get("long") ?? 0) * 640);
  assert.equal(drops.at(10_000).length, 0);
  assert.equal(drops.any, false);
});

test("at most three are on their way; beyond that a rate is told, for a second", () => {
  const drops = new Drops();
  for (let i = 0; i < 3; i++) drops.add("e", 640, 0);
  assert.equal(drops.rate("e", 100), undefined);
  for (let i = 0; i < 40; i++) drops.add("e", 640, 10);
  assert.ok(drops.at(300).length <= 3);
  assert.equal(drops.rate("e", 300), "43/s");
  drops.at(5_000);
  assert.equal(drops.rate("e", 5_000), undefined);
});

test("drops of one moment follow each other", () => {
  const drops = new Drops();
  drops.add("e", 640, 0);
  drops.add("e", 640, 0);
  const [first, second] = drops.at(400).map((d) => d.share);
  assert.ok(first !== undefined && second !== undefined && first > second);
});
