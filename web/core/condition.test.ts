import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionText, pathsOf, readCondition } from "./condition.ts";

const same: readonly string[] = [
  "input.priority >= 8",
  'input.kind == "image" && input.size < 2000000',
  'input.subject.contains("refund") || input.subject.startsWith("Re:")',
  "has(input.image) && !has(input.parent)",
  'nodes.facts.output.items[0].name != "a && b"',
  'input["order no"] == -1.5',
  'input.code == "17" && input.done == true && input.by == null',
];

for (const text of same) {
  test(`a condition goes through rows unchanged: ${text}`, () => {
    const read = readCondition(text);
    assert.ok(read !== undefined);
    assert.equal(conditionText(read), text);
  });
}

const more: readonly string[] = [
  "a && b || c",
  "(input.a > 1) && input.b < 2",
  "size(input.list) > 3",
  "input.a > input.b",
  "input.done",
  "input.a == 'x' ? true : false",
];

for (const text of more) {
  test(`rows cannot show: ${text}`, () => assert.equal(readCondition(text), undefined));
}

test("what is typed is a number where it reads as one, and text elsewhere", () => {
  const row = (how: "==" | "contains", value: string) =>
    conditionText({ any: false, rows: [{ path: "input.a", how, value }] });
  assert.equal(row("==", "8"), "input.a == 8");
  assert.equal(row("==", "high"), 'input.a == "high"');
  assert.equal(row("==", '"8"'), 'input.a == "8"');
  assert.equal(row("contains", "8"), 'input.a.contains("8")');
  assert.equal(row("==", 'say "hi"'), 'input.a == "say \\"hi\\""');
});

test("rows that are not begun are left out, and nothing is no row", () => {
  const rows = [
    { path: "", how: "==" as const, value: "1" },
    { path: "input.a", how: "has" as const, value: "" },
  ];
  assert.equal(conditionText({ any: true, rows }), "has(input.a)");
  assert.deepEqual(readCondition("  "), { any: false, rows: [] });
});

test("paths come from the sample, the nearest first", () => {
  const sample = { input: { n: 1, who: { name: "Ada", "first name": "A" } }, nodes: {} };
  assert.deepEqual(pathsOf(sample), [
    "input.n",
    "input.who",
    "input.who.name",
    'input.who["first name"]',
  ]);
});
