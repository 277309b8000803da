import assert from "node:assert/strict";
import { test } from "node:test";
import { setWords, t, translator } from "./strings.ts";

setWords({
  hi: "Hello {name}",
  "step.one": "{n} step",
  "step.other": "{n} steps",
  "own.word": "delivered",
});

test("a placeholder is filled, once", () => {
  assert.equal(t("hi", { name: "{n}", n: 3 }), "Hello {n}");
  assert.equal(t("hi"), "Hello {name}");
});

test("one has its own form, and large numbers are grouped", () => {
  assert.equal(t("step", { n: 1 }), "1 step");
  assert.equal(t("step", { n: 0 }), "0 steps");
  assert.equal(t("step", { n: 1_234_567 }), "1,234,567 steps");
});

test("an unknown key is shown, also one that every object has", () => {
  assert.equal(t("no.such"), "no.such");
  assert.equal(t("constructor"), "constructor");
  assert.equal(t("__proto__"), "__proto__");
});

test("what the page delivers goes before a bundle's own words", () => {
  const say = translator({
    "own.word": "own",
    "own.only": "only {n}",
    "x.one": "1",
    "x.other": "{n}",
  });
  assert.equal(say("own.word"), "delivered");
  assert.equal(say("own.only", { n: 2 }), "only 2");
  assert.equal(say("x", { n: 5 }), "5");
});
