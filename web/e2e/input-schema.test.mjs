// What an input must look like, as a form: fields made by keyboard, fields
// inside fields, an example, the JSON behind it, and undo.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let faults;
let page;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
});

after(async () => {
  await browser?.close();
  await program?.stop();
});

const call = (path, body) =>
  page.evaluate(
    async ([p, b]) => {
      const post = { method: "POST", headers: { "Content-Type": "application/json" } };
      return (await fetch(p, b === null ? {} : { ...post, body: JSON.stringify(b) })).json();
    },
    [path, body ?? null],
  );

/** A workflow that starts by hand or by a webhook, with the trigger's settings opened. */
async function open(kind, schema) {
  const config = schema === undefined ? {} : { input_schema: schema };
  const graph = {
    signalbox: 1,
    nodes: [{ id: "start", key: "start", kind, config }],
    edges: [],
    layout: { nodes: { start: { x: 0, y: 0 } } },
  };
  const { id } = await call("/api/workflows", { name: "Orders", graph });
  await page.goto(`${program.origin}/w/${id}`);
  await page.locator('.k-card[data-id="start"]').click();
  await page.locator(".ed-more > summary").click();
  await page.locator(".ed-schema").waitFor();
  return id;
}

const saved = () => page.locator('.ed-save[data-state="saved"]').waitFor();
const key = (name) => page.keyboard.press(name);
const type = (text) => page.keyboard.type(text, { delay: 5 });
const labelled = (name) => page.getByLabel(name, { exact: true });

async function stored(id) {
  await saved();
  const { graph } = await call(`/api/workflows/${id}/draft`);
  return graph.nodes[0].config?.input_schema;
}

/** Waits until the draft on the server holds this schema. */
async function holds(id, schema) {
  for (let i = 0; i < 100; i += 1) {
    if (JSON.stringify(await stored(id), inOrder) === JSON.stringify(schema, inOrder)) return;
    await page.waitForTimeout(50);
  }
  assert.deepEqual(await stored(id), schema);
}

/** The words of a schema in one order; its fields stay in that of their author. */
function inOrder(key, value) {
  if (key === "properties" || Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((k) => [k, value[k]]));
}

async function shot(name) {
  if (!process.env.SHOTS) return;
  mkdirSync(process.env.SHOTS, { recursive: true });
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${scheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForTimeout(300);
}

test("fields are made by keyboard, and each step of it can be undone", async () => {
  const id = await open("manual");
  await page.locator(".ed-schema .ed-addrow").focus();
  await key("Enter");
  await page.locator(".ed-sname:focus").waitFor();
  await type("customer");
  await key("Enter");
  await labelled("Type of customer").waitFor();
  await labelled("customer is required").focus();
  await key("Space");
  await labelled("Description of customer").fill("Who pays");
  await page.locator(".ed-schema .ed-addrow").click();
  await page.locator(".ed-sname:focus").waitFor();
  await type("customer");
  assert.equal(await page.locator(".ed-snamebox .err").innerText(), "There is a field with this name already.");
  await page.locator(".ed-sname:focus").fill("total");
  await key("Tab");
  await page.getByLabel("Type of total").selectOption("Number");
  const whole = {
    type: "object",
    required: ["customer"],
    properties: { customer: { type: "string", description: "Who pays" }, total: { type: "number" } },
  };
  await holds(id, whole);
  assert.deepEqual(await axe(page), []);
  await page.locator(".k-root").focus();
  await key("Control+z");
  await holds(id, { ...whole, properties: { ...whole.properties, total: { type: "string" } } });
  await key("Control+z");
  await key("Control+z");
  await holds(id, { ...whole, properties: { customer: whole.properties.customer } });
  await key("Control+Shift+z");
  await key("Control+Shift+z");
  await key("Control+Shift+z");
  await holds(id, whole);
});

test("choices, lists and fields inside fields", async () => {
  const id = await open("webhook", {
    type: "object",
    properties: {
      urgency: { type: "string" },
      lines: { type: "array" },
      total: { type: "number", minimum: 0 },
      id: { type: ["string", "null"] },
    },
  });
  await page.getByRole("button", { name: "Choices of urgency" }).click();
  await page.locator(".ed-schoices textarea:focus").fill("low\nhigh\n");
  await page.getByLabel("Type of the items of lines").selectOption("Object");
  await page.getByRole("button", { name: /fields? inside of lines/ }).click();
  await page.getByText("Nothing is said of its fields yet.").waitFor();
  await page.locator(".ed-schema .ed-addrow").click();
  await page.locator(".ed-sname:focus").fill("price");
  await key("Enter");
  await page.getByLabel("Type of price").selectOption("Number");
  await page.getByLabel("Refuse fields that are not in this list").check();
  await shot("schema-inside");
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "All fields" }).click();
  await page.getByText("Also holds, by its JSON: minimum").waitFor();
  assert.equal(await page.getByLabel("Type of id").inputValue(), "other");
  await holds(id, {
    type: "object",
    properties: {
      urgency: { type: "string", enum: ["low", "high"] },
      lines: {
        type: "array",
        items: { type: "object", properties: { price: { type: "number" } }, additionalProperties: false },
      },
      total: { type: "number", minimum: 0 },
      id: { type: ["string", "null"] },
    },
  });
  await shot("schema");
  assert.deepEqual(await axe(page), []);
  await page.reload();
  await page.locator('.k-card[data-id="start"]').click();
  await page.locator(".ed-more > summary").click();
  await labelled("Type of id").waitFor();
  assert.deepEqual(
    await page.locator(".ed-sname").evaluateAll((all) => all.map((one) => one.value)),
    ["urgency", "lines", "total", "id"],
    "the author's order is kept",
  );
  await page.getByRole("button", { name: "Remove urgency" }).click();
  await page.waitForFunction(() => document.activeElement?.value === "lines");
});

test("an example makes the fields, and the JSON stays in reach", async () => {
  const id = await open("manual");
  await page.getByRole("button", { name: "Make it from an example" }).click();
  await page.locator(".ed-schemaexample textarea:focus").fill("[1]");
  await page.getByRole("button", { name: "Make the fields" }).click();
  await page.getByText("The example has to be an object: { … }.").waitFor();
  await page.locator(".ed-schemaexample textarea").fill('{"customer":"Ada","lines":[{"price":2}],"note":null}');
  await shot("schema-example");
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Make the fields" }).click();
  await labelled("Type of customer").waitFor();
  await holds(id, {
    type: "object",
    required: ["customer", "lines"],
    properties: {
      customer: { type: "string" },
      lines: {
        type: "array",
        items: { type: "object", required: ["price"], properties: { price: { type: "number" } } },
      },
      note: {},
    },
  });
  await page.getByRole("button", { name: "Edit as JSON" }).click();
  await page.locator(".ed-schema .ed-expr").waitFor();
  await page.getByRole("button", { name: "Back to the list of fields" }).click();
  await page.getByRole("button", { name: "Remove lines" }).click();
  await page.getByRole("button", { name: "Remove note" }).click();
  await page.getByRole("button", { name: "Remove customer" }).click();
  await page.getByText("Any input is taken.").waitFor();
  await holds(id, undefined);
});

test("a schema that the list cannot show stays JSON", async () => {
  await open("manual", { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] });
  await page.getByText("says more than a list of fields can show").waitFor();
  assert.equal(await page.locator(".ed-schema .ed-expr").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Back to the list of fields" }).count(), 0);
  assert.deepEqual(faults, []);
});
