import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "./form-schema.ts";
import { at, defaults, fieldsOf, pointerParts, shown, widgetOf } from "./form-schema.ts";

test("each schema has its widget", () => {
  const cases: readonly (readonly [Schema, string])[] = [
    [{ type: "string" }, "text"],
    [{ type: "string", "x-ui": "text" }, "area"],
    [{ type: "string", enum: ["a", "b", "c"] }, "choice"],
    [{ type: "string", enum: ["a", "b", "c", "d"] }, "select"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "switch"],
    [{ type: "array", "x-ui": "rules" }, "rules"],
    [{ type: "array", items: { type: "object" } }, "rows"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "object", properties: { a: {} } }, "section"],
    [{ type: "object" }, "pairs"],
    [{}, "json"],
  ];
  for (const [schema, widget] of cases)
    assert.equal(widgetOf(schema), widget, JSON.stringify(schema));
});

test("a field shows when another has the value, or its default", () => {
  const parent: Schema = { properties: { auth: { default: "none" } } };
  const only = (rule: string): Schema => ({ "x-showIf": rule });
  assert.ok(shown(only("auth=hmac|bearer"), { auth: "bearer" }, parent));
  assert.ok(!shown(only("auth=hmac|bearer"), {}, parent));
  assert.ok(shown(only("auth=none"), {}, parent));
  assert.ok(shown(only("auth!=none"), { auth: "hmac" }, parent));
  assert.ok(!shown(only("credential"), {}, parent));
});

test("fields keep the schema's order and know where they are", () => {
  const schema: Schema = {
    required: ["b"],
    properties: { b: { title: "Bee" }, "a/x": { "x-advanced": true } },
  };
  const fields = fieldsOf(schema, {}, "/in");
  assert.deepEqual(
    fields.map((f) => [f.pointer, f.title, f.required, f.advanced]),
    [
      ["/in/b", "Bee", true, false],
      ["/in/a~1x", "a/x", false, true],
    ],
  );
});

test("pointers go through escapes and arrays, never to what objects inherit", () => {
  assert.deepEqual(pointerParts("/a~1b/0/~0"), ["a/b", "0", "~"]);
  assert.equal(at({ "a/b": [{ "~": 1 }] }, "/a~1b/0/~0"), 1);
  assert.equal(at({}, "/constructor"), undefined);
});

test("a new step starts with the defaults of its fields", () => {
  const schema: Schema = { properties: { method: { default: "GET" }, url: {} } };
  assert.deepEqual(defaults(schema), { method: "GET" });
});
