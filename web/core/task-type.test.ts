import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphNode, Spec } from "./graph.ts";
import {
  configOf,
  entryOf,
  formOf,
  settingsOf,
  type TaskType,
  typeOf,
  unworked,
} from "./task-type.ts";

const resize: TaskType = {
  name: "resize",
  title: "Resize an image",
  description: "Makes it smaller.",
  icon: "image",
  alive: 1,
  input: {
    type: "object",
    required: ["url"],
    properties: {
      url: { type: "string", title: "Address" },
      width: { type: "integer", minimum: 1, default: 640 },
      mode: { type: "string", enum: ["fit", "fill"] },
      more: { type: ["string", "null"] },
      size: { type: "object", properties: { w: { type: "number" } } },
      tags: { type: "array", items: { type: "string" } },
    },
  },
};

const base = {
  name: "external",
  title: "External task",
  icon: "cpu",
  help: "Help.",
  config: {
    type: "object",
    properties: { type: { type: "string" }, input: { title: "Input", "x-ui": "json" } },
  },
} as unknown as Spec;

const step = (config: unknown, more = {}) =>
  ({ id: "n", key: "n", kind: "external", config, ...more }) as GraphNode;

test("a type is an entry of the list, and is found by it", () => {
  const entry = entryOf(base, resize, "image");
  assert.deepEqual(
    [entry.name, entry.title, entry.icon, entry.help],
    ["external:resize", "Resize an image", "image", "Makes it smaller."],
  );
  assert.equal(typeOf([resize], entry.name), resize);
  assert.equal(typeOf([resize], "external"), undefined);
  assert.equal(entryOf(base, { ...resize, description: "" }, "cpu").help, "Help.");
});

test("a new step has defaults, and its required fields lead to the input", () => {
  assert.deepEqual(configOf(resize), { type: "resize", input: { url: "=input.url", width: 640 } });
  assert.deepEqual(configOf({ ...resize, input: {} }), { type: "resize" });
});

test("a form shows what it can, and the rest as JSON", () => {
  const form = formOf(resize.input);
  assert.deepEqual(form?.required, ["url"]);
  assert.deepEqual(form?.properties, {
    url: { type: "string", title: "Address" },
    width: { type: "integer", minimum: 1, default: 640 },
    mode: { type: "string", enum: ["fit", "fill"] },
    more: {},
    size: { type: "object", properties: { w: { type: "number" } }, required: [] },
    tags: { type: "array", items: { type: "string" } },
  });
  for (const none of [undefined, null, 7, [], {}, { properties: {} }, { $ref: "#/x" }])
    assert.equal(formOf(none), undefined);
});

test("a schema that is nested without end ends", () => {
  let deep: unknown = { type: "string" };
  for (let i = 0; i < 50; i++) deep = { type: "object", properties: { a: deep } };
  assert.ok(JSON.stringify(formOf(deep)).length < 500);
});

test("the input is a form only when nothing of it would be hidden", () => {
  const shown = (input: unknown) =>
    settingsOf(base.config, step({ type: "resize", input }), [resize]).properties?.["input"];
  assert.equal(shown({ url: "x" })?.type, "object");
  assert.equal(shown({ url: "x" })?.title, "Input");
  assert.equal(shown({ url: "x", other: 1 })?.["x-ui"], "json");
  assert.equal(shown("=input")?.["x-ui"], "json");
  assert.equal(settingsOf(base.config, step({ type: "gone", input: {} }), [resize]), base.config);
});

test("a step whose type nobody does is warned of", () => {
  const words = (name: string, type: TaskType | undefined) => `${name} ${type?.alive ?? "unknown"}`;
  const nodes = [
    step({ type: "resize" }),
    step({ type: "gone" }),
    step({ type: "" }),
    step({ type: "gone" }, { disabled: true }),
    step({ type: "gone" }, { kind: "http" }),
  ];
  assert.deepEqual(
    unworked(nodes, [resize], words).map((i) => i.message),
    ["gone unknown"],
  );
  assert.equal(unworked(nodes, [{ ...resize, alive: 0 }], words)[0]?.message, "resize 0");
});
