import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inputFields,
  isClosed,
  schemaAt,
  schemaOf,
  withAbout,
  withChoices,
  withClosed,
  withItems,
  withName,
  withNewField,
  withoutField,
  withRequired,
  withSchemaAt,
  withSort,
} from "./input-schema.ts";

const order = {
  type: "object",
  required: ["customer", "lines"],
  properties: {
    customer: { type: "string", description: "Who pays" },
    urgency: { type: "string", enum: ["low", "high"] },
    total: { type: "number", minimum: 0 },
    lines: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" } } },
    },
    id: { type: ["string", "null"] },
    note: {},
  },
};

test("a schema of an object is a list of fields", () => {
  const fields = inputFields(order) ?? [];
  assert.deepEqual(
    fields.map((f) => [f.name, f.sort, f.items, f.required, f.inside]),
    [
      ["customer", "string", undefined, true, undefined],
      ["urgency", "string", undefined, false, undefined],
      ["total", "number", undefined, false, undefined],
      ["lines", "array", "object", true, 1],
      ["id", "other", undefined, false, undefined],
      ["note", "any", undefined, false, undefined],
    ],
  );
  assert.equal(fields[0]?.about, "Who pays");
  assert.deepEqual(fields[1]?.choices, ["low", "high"]);
  assert.deepEqual(fields[2]?.rules, ["minimum"]);
  assert.deepEqual(inputFields(undefined), []);
  assert.deepEqual(
    inputFields({ required: ["a"] })?.map((f) => [f.name, f.required]),
    [["a", true]],
  );
});

test("what a form would hide is not shown as one", () => {
  for (const schema of [
    { type: "array" },
    { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { type: "object", additionalProperties: { type: "string" } },
    { type: "object", patternProperties: { "^x": {} } },
    { properties: [] },
    { $ref: "#/x" },
    true,
    "text",
  ])
    assert.equal(inputFields(schema), undefined, JSON.stringify(schema));
});

test("a change of a field leaves the rest of the schema as it was", () => {
  assert.deepEqual(withAbout(order, "total", "In euros")["properties"], {
    ...order.properties,
    total: { type: "number", minimum: 0, description: "In euros" },
  });
  assert.deepEqual(withAbout(order, "customer", ""), {
    ...order,
    properties: { ...order.properties, customer: { type: "string" } },
  });
  assert.deepEqual(withChoices(order, "urgency", ["a", "b", "a"])["properties"], {
    ...order.properties,
    urgency: { type: "string", enum: ["a", "b"] },
  });
  assert.deepEqual(withRequired(order, "total", true)["required"], ["customer", "lines", "total"]);
  assert.equal(Object.hasOwn(withRequired({ required: ["a"] }, "a", false), "required"), false);
});

test("another name keeps the place in the list and what is required", () => {
  const next = withName(order, "customer", "buyer");
  assert.deepEqual(Object.keys(next["properties"] as object), [
    "buyer",
    "urgency",
    "total",
    "lines",
    "id",
    "note",
  ]);
  assert.deepEqual(next["required"], ["buyer", "lines"]);
  const odd = withName(order, "note", "__proto__");
  assert.ok(Object.hasOwn(odd["properties"] as object, "__proto__"));
});

test("another sort drops the rules of the old one and keeps its description", () => {
  const about = {
    type: "object",
    properties: { n: { type: "number", minimum: 1, description: "d" } },
  };
  assert.deepEqual(withSort(about, "n", "string")["properties"], {
    n: { type: "string", description: "d" },
  });
  assert.deepEqual(withSort(about, "n", "any")["properties"], { n: { description: "d" } });
  assert.deepEqual(withSort(about, "n", "object")["properties"], {
    n: { type: "object", description: "d", properties: {} },
  });
  assert.deepEqual(
    withItems({ properties: { l: { type: "array" } } }, "l", "number")["properties"],
    {
      l: { type: "array", items: { type: "number" } },
    },
  );
});

test("a new field has a free name, and goes with what said that it is required", () => {
  const first = withNewField(undefined);
  assert.deepEqual(first, {
    schema: { type: "object", properties: { field: { type: "string" } } },
    name: "field",
  });
  const second = withNewField(first.schema);
  assert.equal(second.name, "field_2");
  assert.deepEqual(withoutField(withRequired(second.schema, "field", true), "field"), {
    type: "object",
    properties: { field_2: { type: "string" } },
  });
});

test("fields inside objects and lists are changed in their place", () => {
  assert.deepEqual(
    inputFields(schemaAt(order, ["lines"]))?.map((f) => f.name),
    ["name"],
  );
  const inner = withNewField(schemaAt(order, ["lines"])).schema;
  const next = withSchemaAt(order, ["lines"], inner);
  assert.deepEqual((next["properties"] as typeof order.properties).lines, {
    type: "array",
    items: { type: "object", properties: { name: { type: "string" }, field: { type: "string" } } },
  });
  assert.equal(inputFields(schemaAt(order, ["gone"])), undefined);
});

test("other fields are refused when the list is closed", () => {
  assert.equal(isClosed(order), false);
  const closed = withClosed(order, true);
  assert.equal(isClosed(closed), true);
  assert.ok(inputFields(closed));
  assert.deepEqual(withClosed(closed, false), order);
});

test("an example makes a schema that it fits", () => {
  const schema = schemaOf({
    id: 7,
    paid: true,
    note: null,
    tags: ["a", "b"],
    mixed: [1, "a"],
    lines: [
      { name: "pen", price: 2 },
      { name: "ink", color: "blue" },
    ],
    at: {},
  });
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      id: { type: "number" },
      paid: { type: "boolean" },
      note: {},
      tags: { type: "array", items: { type: "string" } },
      mixed: { type: "array" },
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            price: { type: "number" },
            color: { type: "string" },
          },
          required: ["name"],
        },
      },
      at: { type: "object", properties: {} },
    },
    required: ["id", "paid", "tags", "mixed", "lines", "at"],
  });
  assert.equal(inputFields(schema)?.length, 7);
});
