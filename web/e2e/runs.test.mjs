// Runs: one fails and says why, is tried again, goes on with other data.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let workflow;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  const made = await api("POST", "/api/workflows", { name: "Refunds", graph });
  assert.equal(made.status < 300, true, JSON.stringify(made.body));
  workflow = made.body.id ?? made.body.workflow?.id;
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to, port = "success") => ({ id: `${from}-${port}-${to}`, from, port, to });
const place = (x, y, title) => ({ x, y, title });

const graph = {
  signalbox: 1,
  name: "Refunds",
  nodes: [
    node("start", "manual", {}),
    node("look_up", "mock", { answer: { amount: "=input.amount" } }),
    node("charge", "mock", { fail_times: "=trigger.fails", error_class: "invalid_input", error_message: "The amount is not a number.", answer: { paid: "=input.amount" } }, { retry: { max_attempts: 1 } }),
    node("answer", "output", { value: "=input.paid" }),
  ],
  edges: [edge("start", "look_up"), edge("look_up", "charge"), edge("charge", "answer")],
  layout: { nodes: { start: place(0, 0, "Start"), look_up: place(280, 0, "Look up"), charge: place(560, 0, "Charge back"), answer: place(840, 0, "Answer") } },
};

const api = async (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      return { status: r.status, body: await r.json() };
    },
    [method, path, body ?? null],
  );

async function run(input) {
  const { status, body } = await api("POST", `/api/workflows/${workflow}/runs`, { version: "draft", input });
  assert.equal(status, 202, JSON.stringify(body));
  return body.run.id;
}

const open = (id) => page.goto(`${program.origin}/runs/${id}`);
const chip = (word) => page.locator(".run-top .chip", { hasText: word }).waitFor();

test("a run that failed says why: the step, the words, the values, the way, the ways on", async () => {
  await open(await run({ fails: 1, amount: 12 }));
  await chip("Failed");
  const why = page.locator(".why");
  await why.waitFor();
  assert.match(await why.innerText(), /“Charge back” failed/);
  assert.match(await why.innerText(), /The amount is not a number\./);
  await why.getByText("input.amount").waitFor();
  assert.match(await why.locator(".why-values").innerText(), /12/);
  assert.match(await why.locator(".why-way").innerText(), /Look up/);
  assert.deepEqual(await axe(page), [], "axe");
  await why.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Why it failed" }).click();
  await why.waitFor();
});

test("retry starts a new run that shares what was done, linked both ways", async () => {
  const first = await run({ fails: 1, amount: 1 });
  await open(first);
  await page.locator(".run-top").getByRole("button", { name: "Retry from failed step" }).click();
  await page.waitForURL((u) => u.pathname.startsWith("/runs/") && !u.pathname.endsWith(first));
  const second = new URL(page.url()).pathname.split("/").at(-1);
  await chip("Failed"); // the mock fails the first attempt of every run
  await page.getByText(/Forked from run/).waitFor();
  const old = (await api("GET", `/api/runs/${first}/events`)).body.events;
  const now = (await api("GET", `/api/runs/${second}/events`)).body.events;
  const cut = old.findIndex((e) => e.type === "TaskFailed");
  assert.deepEqual(now.slice(0, cut), old.slice(0, cut));
  await page.getByText(/Forked from run/).click();
  await page.waitForURL(`**/runs/${first}`);
  await page.getByText("1 run goes on from this one").click();
  await page.locator(".lineage nav a").click();
  await page.waitForURL(`**/runs/${second}`);
});

test("a fork with edited input goes on with it", async () => {
  const first = await run({ fails: 1, amount: 5 });
  await open(first);
  await chip("Failed");
  await page.locator(".log .ev").first().getByRole("button").first().click();
  await page.locator(".ev-detail").getByRole("button", { name: "Fork here" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel(/^Its output/);
  await field.waitFor();
  assert.deepEqual(await axe(page), [], "axe with the dialog open");
  await field.fill("{ not json");
  await dialog.getByRole("button", { name: "Start the new run" }).click();
  await dialog.getByText("This is not valid JSON.").waitFor();
  await field.fill('{"fails": 0, "amount": 7}');
  await dialog.getByRole("button", { name: "Start the new run" }).click();
  await page.waitForURL((u) => u.pathname.startsWith("/runs/") && !u.pathname.endsWith(first));
  await chip("Succeeded");
  const second = new URL(page.url()).pathname.split("/").at(-1);
  assert.equal((await api("GET", `/api/runs/${second}`)).body.result, 7);
});

test("no page broke its policy or threw", () => {
  assert.deepEqual(faults, []);
});
