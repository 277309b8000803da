import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "./expr-complete.ts";
import { misfit, partOf, rowsOf, type Shape } from "./port-shape.ts";

const text: Shape = { type: ["string"] };
const number: Shape = { type: ["number"] };
const order: Shape = {
  type: ["object"],
  properties: {
    id: text,
    lines: {
      type: ["array"],
      items: { type: ["object"], properties: { name: text, price: number }, required: ["name"] },
    },
  },
  required: ["id"],
  additionalProperties: false,
};

test("a shape is read as lines, the fields of items below their list", () => {
  const { rows, more } = rowsOf(order);
  assert.deepEqual(
    rows.map((r) => [r.name, r.depth, r.required]),
    [
      ["id", 0, true],
      ["lines", 0, false],
      ["name", 1, true],
      ["price", 1, false],
    ],
  );
  assert.equal(more, 0);
  assert.equal(rowsOf(order, 2).more, 2);
});

test("a part of a shape is found by names and places", () => {
  assert.deepEqual(partOf(order, ["lines", 0, "price"]), number);
  assert.equal(partOf(order, ["total"]), undefined);
  assert.equal(partOf(order, ["constructor"]), undefined);
});

test("only what can never fit is a misfit", () => {
  const needs = (name: string, shape: Shape): Shape => ({
    type: ["object"],
    properties: { [name]: shape },
    required: [name],
  });
  assert.deepEqual(misfit(order, needs("total", {})), {
    is: "missing",
    needs: "total",
    gives: ["id", "lines"],
  });
  assert.deepEqual(misfit(order, needs("id", number)), {
    is: "sort",
    at: "id",
    needs: number,
    gives: text,
  });
  assert.deepEqual(misfit(text, number), { is: "sort", at: "", needs: number, gives: text });
  for (const [gives, takes] of [
    [{}, needs("total", {})],
    [order, needs("id", {})],
    [order, { properties: { total: {} } }],
    [{ type: ["object"] }, needs("total", {})],
    [{ type: ["string", "null"] }, text],
    [{ type: [] }, number],
    [
      { ...order, required: [] },
      { type: ["object"], properties: { id: number } },
    ],
  ] as const) {
    assert.equal(misfit(gives, takes), undefined);
  }
});

test("completions come from shapes too, those of the sample first", () => {
  const shapes = {
    input: order,
    nodes: { properties: { ask: { properties: { output: order } } } },
  };
  const labels = (before: string, sample = {}) =>
    complete(before, sample, shapes).options.map((o) => `${o.label}:${o.type}`);
  assert.deepEqual(labels("input.").slice(0, 2), ["id:string", "lines:list"]);
  assert.deepEqual(labels("input.lines[0].").slice(0, 2), ["name:string", "price:number"]);
  assert.deepEqual(labels("nodes.ask.output.").slice(0, 2), ["id:string", "lines:list"]);
  assert.ok(labels("input.lines.").includes("filter:"));
  const both = labels("input.", { input: { id: "T-1", more: 1 } });
  assert.deepEqual(both.slice(0, 2), ["id:string", "lines:list"]); // "more" never comes
  assert.ok(!both.some((label) => label.startsWith("more")));
  const open = { input: { properties: { id: text } } };
  const seen = complete("input.", { input: { more: 1 } }, open).options.map((o) => o.label);
  assert.deepEqual(seen.slice(0, 2), ["more", "id"]);
});
