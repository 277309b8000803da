import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, lookup, preview } from "./expr-complete.ts";
import { renameKey, renamesIn } from "./expr-rename.ts";
import type { Mode } from "./expr-tokens.ts";
import { formOf, tokenize } from "./expr-tokens.ts";

const kinds = (text: string, mode: Mode) =>
  tokenize(text, mode)
    .filter((t) => t.kind !== "space")
    .map((t) => `${t.kind}:${text.slice(t.from, t.to)}`);

test("the first characters say what a value is", () => {
  assert.deepEqual(["", "a", "=a", "==a", "a {{ b }}"].map(formOf), [
    "constant",
    "constant",
    "expression",
    "literal",
    "template",
  ]);
});

test("an expression is split into its pieces", () => {
  assert.deepEqual(kinds('input.priority >= 8 && size("a b") in x', "expr"), [
    ...["root:input", "bracket:.", "name:priority", "operator:>=", "number:8", "operator:&&"],
    ...["call:size", "bracket:(", 'string:"a b"', "bracket:)", "keyword:in", "name:x"],
  ]);
});

test("the tokens cover every character once, whatever is typed", () => {
  const odd = ["=input.§ ~ 'a", "a {{ input. }} b {{", "{{}}", '{"a": "=b"', "\\ \n\t", "🚦 = 🚦"];
  for (const text of odd) {
    for (const mode of ["expr", "value", "json", "constant"] as const) {
      let at = 0;
      for (const token of tokenize(text, mode)) {
        assert.equal(token.from, at, `${mode}: ${text}`);
        at = token.to;
      }
      assert.equal(at, text.length, `${mode}: ${text}`);
    }
  }
});

test("a key is renamed where it is meant, and nowhere else", () => {
  const cases: readonly (readonly [string, Mode, string])[] = [
    ["nodes.a.output + nodes.ab.output", "expr", "nodes.b.output + nodes.ab.output"],
    ['inputs["a"].x', "expr", 'inputs["b"].x'],
    ["=input.nodes.a", "value", "=input.nodes.a"],
    ['="nodes.a"', "value", '="nodes.a"'],
    [
      "Hello {{ nodes.a.output.name }}, nodes.a",
      "value",
      "Hello {{ nodes.b.output.name }}, nodes.a",
    ],
    ["nodes.a", "value", "nodes.a"],
    ["==nodes.a", "value", "==nodes.a"],
    ["nodes.a", "constant", "nodes.a"],
  ];
  for (const [text, mode, wanted] of cases)
    assert.equal(renameKey(text, mode, "a", "b"), wanted, text);
});

test("a rename finds the fields by their schema", () => {
  const schema = {
    properties: { when: { "x-ui": "expr" }, fixed: { "x-constant": true }, body: {} },
  };
  const config = {
    when: "nodes.a.output",
    fixed: "=nodes.a.output",
    body: { deep: ["=nodes.a.output"] },
  };
  assert.deepEqual(renamesIn(schema, config, "a", "b"), [
    { pointer: "/when", text: "nodes.b.output" },
    { pointer: "/body/deep/0", text: "=nodes.b.output" },
  ]);
});

const sample = {
  input: { priority: 9, tags: ["x"], name: "Ada", "odd key": 1 },
  nodes: { check: { output: { ok: true } } },
};

test("keys of the sample come with their type and value", () => {
  const { from, options } = complete("input.pri", sample);
  assert.equal(from, 6);
  const priority = options.find((o) => o.label === "priority");
  assert.deepEqual([priority?.type, priority?.detail], ["number", "9"]);
  assert.ok(!options.some((o) => o.label === "odd key"), "only names that can follow a dot");
});

test("methods fit the type of what stands before the dot", () => {
  const labels = (before: string) => complete(before, sample).options.map((o) => o.label);
  assert.ok(labels("input.tags.").includes("exists"));
  assert.ok(labels("input.name.").includes("startsWith"));
  assert.ok(!labels("input.name.").includes("exists"));
  assert.deepEqual(labels("input.nothing."), []);
});

test("inside a text nothing is offered", () => {
  assert.deepEqual(complete('input.name == "inp', sample).options, []);
});

test("a path leads through names, numbers and quotes", () => {
  assert.equal(lookup(sample, "input.tags[0]"), "x");
  assert.equal(lookup(sample, 'nodes["check"].output.ok'), true);
  assert.equal(lookup(sample, "input.constructor"), undefined);
});

test("a long value is shortened", () => {
  assert.equal(preview("x".repeat(100)).length, 40);
  assert.equal(preview(undefined), "");
});
