// Boards: charts of what really ran, their tables, and the ways to the runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let workflow;
let stands; // a range of time that is over: its numbers do not change

const SUCCEED = 6;
const FAIL = 3;

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to, port = "success") => ({ id: `${from}-${port}-${to}`, from, port, to });
const graph = {
  signalbox: 1,
  name: "Orders",
  nodes: [
    node("start", "manual", {}),
    node("guess", "outcome", { name: "label", decision: "input.id", value: "\"spam\"" }),
    node("charge", "mock", { answer: "=input", fail_times: "=input.fails", error_class: "invalid_input" }, { retry: { max_attempts: 1 } }),
    node("paid", "metric", { name: "orders_paid", value: "input.total", labels: { country: "=input.country" } }),
  ],
  edges: [edge("start", "guess"), edge("guess", "charge"), edge("charge", "paid")],
  layout: { nodes: {} },
};

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  const made = await api("POST", "/api/workflows", { name: "Orders", graph });
  workflow = made.body.id;
  const { seq } = (await api("GET", `/api/workflows/${workflow}/draft`)).body;
  assert.equal((await api("POST", `/api/workflows/${workflow}/publish`, { seq })).status, 200);
  for (let i = 0; i < SUCCEED + FAIL; i++) {
    const input = { id: `d${i}`, fails: i < FAIL ? 1 : 0, total: 10, country: i % 2 === 0 ? "NO" : "SE" };
    assert.equal((await api("POST", `/api/workflows/${workflow}/runs`, { input })).status, 202);
  }
  const told = await api("POST", "/api/outcomes", {
    outcomes: [
      { name: "label", decision: "d0", value: "spam" },
      { name: "label", decision: "d1", value: "ham" },
      { name: "label", decision: "d2", value: "spam" },
      { name: "label", decision: "d3", value: "spam" },
    ],
  });
  assert.deepEqual(told.body, { told: 4, predicted: 4 });
  // What was counted is saved when its ten seconds are over.
  await until(async () => sum((await api("GET", "/api/boards/events?last=15m")).body, "run.time") === SUCCEED + FAIL);
  const end = (Math.floor(Date.now() / 10_000) + 1) * 10_000;
  const iso = (ms) => new Date(ms).toISOString();
  stands = `from=${iso(end - 600_000)}&to=${iso(end)}`;
  await until(async () => Date.now() > end);
});

after(async () => {
  await browser?.close();
  assert.deepEqual(faults, []);
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const api = async (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      return { status: r.status, body: await r.json() };
    },
    [method, path, body ?? null],
  );

const sum = (board, measure) =>
  board.series.filter((s) => s.measure === measure).reduce((n, s) => n + s.n.reduce((a, b) => a + (b ?? 0), 0), 0);

async function until(holds, patience = 60_000) {
  for (const began = Date.now(); !(await holds()); ) {
    assert.ok(Date.now() - began < patience, "it never comes");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const open = async (query = "") => {
  await page.goto(`${program.origin}/boards${query}`);
  await page.locator("[data-chart], .empty").first().waitFor();
};
const card = (id) => page.locator(`[data-chart="${id}"]`);
const tile = (id) => page.locator(`[data-tile="${id}"] dd`).innerText();

/** Pixels of a chart that have the color of a token. */
const inked = (id, token) =>
  card(id)
    .locator("canvas")
    .evaluate((canvas, name) => {
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) n++;
      return n;
    }, token);

/** The interval in which most runs failed. */
async function spike() {
  const board = (await api("GET", `/api/boards/events?${stands}&workflow=${workflow}`)).body;
  const failed = board.series.find((s) => s.measure === "run.time" && s.label === "failed");
  const at = failed.n.indexOf(Math.max(...failed.n.filter((n) => n !== null)));
  return { at, time: board.times[at], n: failed.n[at], of: board.times.length };
}

test("events: the numbers are those of the runs, and their charts are drawn", async () => {
  await open(`?last=15m&workflow=${workflow}`);
  assert.deepEqual([await tile("ended"), await tile("succeeded"), await tile("failed"), await tile("dead")], [String(SUCCEED + FAIL), "66.7\u202f%", String(FAIL), String(FAIL)]);
  assert.ok((await inked("ended", "--ok")) > 20, "bars of runs that succeeded");
  assert.ok((await inked("ended", "--fail")) > 10, "bars of runs that failed");
  assert.ok((await inked("ended", "--brand")) > 10, "the mark of the published version");
  await card("version").getByText("Version 1").waitFor();
  assert.deepEqual(await axe(page), [], "axe");
});

test("a click on a spike leads to its runs, and to no others", async () => {
  await open(`?${stands}&workflow=${workflow}`);
  const { at, n, of } = await spike();
  const over = card("ended").locator(".u-over");
  const box = await over.boundingBox();
  const x = box.x + (box.width * (at + 0.5)) / of;
  await page.mouse.move(x, box.y + box.height / 2);
  await card("ended").locator(".tip").getByText("Failed").waitFor();
  await card("time").locator(".board-legend b").first().waitFor(); // the pointer is shared
  const canvas = await card("ended").locator("canvas").boundingBox();
  const bar = await card("ended").locator("canvas").evaluate((canvas, left) => {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--fail");
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext("2d").getImageData(Math.round((left * canvas.width) / canvas.clientWidth), 0, 1, canvas.height);
    const rows = [];
    for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) rows.push(i / 4);
    return ((Math.min(...rows) + Math.max(...rows)) / 2) * (canvas.clientHeight / canvas.height);
  }, x - canvas.x);
  await page.mouse.click(x, canvas.y + bar);
  await page.waitForURL((u) => u.pathname === `/w/${workflow}/runs` && u.searchParams.get("status") === "failed");
  assert.equal(await page.locator(".runs-table tbody tr").count(), n);
});

test("the table has the same numbers and ways", async () => {
  await open(`?${stands}&workflow=${workflow}`);
  const { n } = await spike();
  await card("ended").getByRole("button", { name: "Runs over, by outcome as a table" }).click();
  const table = card("ended").locator(".board-table");
  const column = (await table.locator("thead th").allInnerTexts()).indexOf("Failed");
  const links = table.locator(`tbody td:nth-child(${column + 1}) a`);
  const numbers = (await links.allInnerTexts()).map(Number);
  assert.equal(numbers.reduce((a, b) => a + b, 0), FAIL);
  assert.ok(numbers.includes(n));
  await table.getByText("Orders: version 1 published").waitFor();
  assert.deepEqual(await axe(page), [], "axe with a table");
  await links.first().click();
  await page.waitForURL((u) => u.searchParams.get("status") === "failed");
  assert.equal(await page.locator(".runs-table tbody tr").count(), numbers[0]);
});

test("by keyboard alone: along the time, and into the runs", async () => {
  await open(`?${stands}&workflow=${workflow}`);
  const { at, of } = await spike();
  const slider = card("ended").getByRole("slider");
  await slider.focus();
  await page.keyboard.press("End");
  assert.match(await slider.getAttribute("aria-valuetext"), /\d\d:\d\d:\d\d – /);
  for (let i = of - 1; i > at; i--) await page.keyboard.press("ArrowLeft");
  assert.match(await slider.getAttribute("aria-valuetext"), /Failed: \d/);
  assert.equal(await slider.getAttribute("aria-valuenow"), String(at));
  await page.keyboard.press("Escape");
  assert.match(await slider.getAttribute("aria-valuetext"), /Arrow keys/);
  await page.keyboard.press("Home");
  assert.equal(await slider.getAttribute("aria-valuenow"), "0");
  await page.keyboard.press("End");
  for (let i = of - 1; i > at; i--) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.waitForURL((u) => u.pathname === `/w/${workflow}/runs`);
  assert.ok((await page.locator(".runs-table tbody tr").count()) > 0);
});

test("a brush becomes the range of all charts and of the address; back takes it back", async () => {
  await open("?last=15m");
  const box = await card("rate").locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 50, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((u) => u.searchParams.has("from"));
  const q = new URL(page.url()).searchParams;
  const span = (Date.parse(q.get("to")) - Date.parse(q.get("from"))) / 1000;
  assert.ok(Math.abs(span - 0.3 * 910) < 30, `${span} s`);
  assert.equal(await page.getByRole("button", { name: "Live" }).isDisabled(), true);
  await page.goBack();
  await page.waitForURL((u) => u.searchParams.get("last") === "15m");
});

test("tabs: the infrastructure was looked at", async () => {
  await open("?last=15m");
  await page.getByRole("link", { name: "Infrastructure" }).click();
  await page.waitForURL((u) => u.searchParams.get("tab") === "infrastructure");
  for (const id of ["turns", "commit", "connections", "database", "goroutines", "memory"]) {
    await card(id).locator("canvas").waitFor();
  }
  await card("database").getByRole("button", { name: /as a table/ }).click();
  assert.match(await card("database").locator("tbody td").first().innerText(), /^(\d+(\.\d)?\u202f[MG]B|–)$/);
  assert.deepEqual(await axe(page), [], "axe");
});

test("tabs: business shows what nodes wrote down and how decisions turned out", async () => {
  await open("?tab=business&last=15m");
  const cells = page.locator('[data-scores="label"] tbody tr').first().locator("td");
  assert.deepEqual(await cells.allInnerTexts(), [String(SUCCEED + FAIL), "4", "75\u202f%", "spam", "75\u202f%", "100\u202f%"]);
  const metric = card("metric-counter-orders_paid");
  await metric.getByText("country: NO").waitFor();
  await metric.getByRole("button", { name: /as a table/ }).click();
  const total = (await metric.locator("tbody td").allInnerTexts()).filter((s) => /^\d+$/.test(s)).reduce((a, b) => a + Number(b), 0);
  assert.equal(total, SUCCEED * 10);
  assert.deepEqual(await axe(page), [], "axe");
});

test("the same metric is told to Prometheus", async () => {
  const text = await (await fetch(`${program.origin}/metrics`)).text();
  const values = [...text.matchAll(/^signalbox_business_orders_paid\{country="(NO|SE)",workflow="([0-9a-f-]+)"\} (\d+)$/gm)];
  assert.equal(values.length, 2);
  assert.equal(values.reduce((n, v) => n + Number(v[3]), 0), SUCCEED * 10);
  assert.ok(values.every((v) => v[2] === workflow));
});

test("dark, Chinese and narrow: nothing sticks out", async () => {
  const other = await browser.page({ colorScheme: "dark", viewport: { width: 800, height: 1000 }, locale: "zh-CN", storageState: await page.context().storageState() });
  await other.page.goto(`${program.origin}/boards?last=15m`);
  await other.page.locator('[data-chart="ended"] canvas').waitFor();
  await other.page.getByRole("heading", { name: "看板" }).waitFor();
  assert.equal(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.deepEqual(await axe(other.page), [], "axe");
  assert.deepEqual(other.faults, []);
  await other.context.close();
});
