// Containers in the real editor: wrapped, entered, left, folded, copied,
// deleted, each as one gesture that one undo takes back.
import assert from "node:assert/strict";
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
      const r = await fetch(p, b === null ? {} : { ...post, body: JSON.stringify(b) });
      return r.json();
    },
    [path, body ?? null],
  );

/** Four steps in a row, the two in the middle perhaps in a group. */
async function openRow(name, grouped = false) {
  const places = { start: [0, 0], reserve: [420, 0], charge: [720, 0], done: [1120, 0] };
  const nodes = [
    { id: "start", key: "start", kind: "manual" },
    { id: "reserve", key: "reserve", kind: "http", config: { url: "https://x.example/r" } },
    { id: "charge", key: "charge", kind: "http", config: { url: "https://x.example/c" } },
    { id: "done", key: "done", kind: "output" },
  ];
  let lines = [["start", "reserve"], ["reserve", "charge"], ["charge", "done"]];
  if (grouped) {
    nodes.push({ id: "pay", key: "pay", kind: "group", config: { transaction: true } });
    for (const n of nodes) if (n.kind === "http") n.in = "pay";
    places.pay = [396, -72];
    lines = [["start", "pay"], ["reserve", "charge"], ["pay", "done"]];
  }
  const edges = lines.map(([from, to]) => ({ id: `${from}-${to}`, from, port: "success", to }));
  const layout = { nodes: Object.fromEntries(Object.entries(places).map(([id, [x, y]]) => [id, { x, y }])) };
  const { id } = await call("/api/workflows", { name, graph: { signalbox: 1, nodes, edges, layout } });
  await page.goto(`${program.origin}/w/${id}`);
  await page.locator(".k-card").first().waitFor();
  await page.locator(".ed-dock").waitFor();
  return id;
}

const draft = async (id) => (await call(`/api/workflows/${id}/draft`)).graph;
const lines = async (id) => (await draft(id)).edges.map((e) => `${e.from} ${e.to}`).sort().join();
const inside = async (id) => (await draft(id)).nodes.filter((n) => n.in).map((n) => n.id).sort().join();
const key = (name) => page.keyboard.press(name);
const card = (id) => page.locator(`.k-card[data-id="${id}"]`);
const box = (id) => card(id).boundingBox();

async function until(what, ask) {
  for (let i = 0; i < 100; i += 1) {
    if (await ask()) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`never came true: ${what}`);
}

async function drag(from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

const grip = (b) => ({ x: b.x + b.width / 2, y: b.y + 12 });

test("two steps are wrapped in a group and named, its ports take their lines; one undo", async () => {
  const id = await openRow("Wrap");
  await card("reserve").click();
  await card("charge").click({ modifiers: ["Shift"] });
  await key("Control+g");
  await page.locator(".ed-title input").fill("Payment");
  await key("Enter");
  await until("it is named", async () => JSON.stringify(await draft(id)).includes("Payment"));
  const graph = await draft(id);
  const group = graph.nodes.find((n) => n.kind === "group");
  assert.equal(await inside(id), "charge,reserve");
  assert.equal(await lines(id), [`start ${group.id}`, "reserve charge", `${group.id} done`].sort().join());
  await key("Control+z");
  await key("Control+z");
  await until("all is as before", async () => (await draft(id)).nodes.length === 4);
  assert.equal(await lines(id), "charge done,reserve charge,start reserve");
});

test("a step goes into a group by hand and out again, each one undo", async () => {
  const id = await openRow("By hand", true);
  await until("the frame is there", async () => (await box("pay")) !== null);
  const pay = await box("pay");
  await drag(grip(await box("charge")), { x: pay.x + 60, y: pay.y + pay.height + 120 });
  await until("it is out", async () => (await inside(id)) === "reserve");
  assert.equal(await lines(id), "pay done,start pay");
  await key("Control+z");
  await until("it is in, with its line", async () => (await lines(id)) === "pay done,reserve charge,start pay");
  assert.equal(await inside(id), "charge,reserve");
  const was = (await draft(id)).layout.nodes.charge;
  assert.deepEqual([was.x, was.y], [720, 0]);
});

test("moving, folding and deleting a group takes its content along", async () => {
  const id = await openRow("Whole", true);
  const pay = await box("pay");
  await drag({ x: pay.x + 150, y: pay.y + 14 }, { x: pay.x + 150, y: pay.y + 94 });
  await until("the content moved", async () => (await draft(id)).layout.nodes.reserve.y > 0);
  await card("pay").locator(".k-fold").click();
  await until("it is folded", async () => (await draft(id)).layout.nodes.pay.folded === true);
  await card("reserve").waitFor({ state: "detached" });
  // Seen from afar only its title is drawn; its name has it all.
  await page.locator('.k-card[data-id="pay"][aria-label*="2 steps"]').waitFor();
  await card("pay").click();
  await key("Enter");
  await card("reserve").waitFor();
  await page.locator(".k-root").focus();
  await key("Escape");
  await key("Delete");
  await until("all three are gone", async () => (await draft(id)).nodes.length === 2);
  await key("Control+z");
  await until("and back", async () => (await inside(id)) === "charge,reserve");
  assert.equal(await lines(id), "pay done,reserve charge,start pay");
});

test("a copy of a group has its own content, and the keyboard goes in and out", async () => {
  const id = await openRow("Copies", true);
  const pay = await box("pay");
  await page.mouse.click(pay.x + 150, pay.y + 14);
  await key("Control+d");
  await until("twice the steps", async () => (await draft(id)).nodes.length === 8);
  const { nodes } = await draft(id);
  const copy = nodes.find((n) => n.kind === "group" && n.id !== "pay");
  assert.equal(nodes.filter((n) => n.in === copy.id).length, 2);
  await page.keyboard.press("Enter");
  await until("inside the copy", () => page.evaluate((c) => {
    const at = document.activeElement?.dataset["id"];
    return at !== undefined && at !== c;
  }, copy.id));
  await key("Escape");
  await until("on the copy", () => page.evaluate((c) => document.activeElement?.dataset["id"] === c, copy.id));
  assert.deepEqual(await axe(page), []);
});

test("a step in a transaction gets its compensation from the menu", async () => {
  const id = await openRow("Undo", true);
  await card("charge").click({ button: "right" });
  await page.locator(".ed-menu button", { hasText: "Add compensation" }).click();
  await page.locator(".ed-quick input:focus").waitFor();
  await page.keyboard.type("http", { delay: 5 });
  await key("Enter");
  await until("it is in the group, on the handle", async () => {
    const { nodes, edges } = await draft(id);
    const undo = edges.find((e) => e.port === "compensate");
    return undo?.from === "charge" && nodes.find((n) => n.id === undo.to)?.in === "pay";
  });
});

test("the outline shows what stands in what", async () => {
  await openRow("Outline", true);
  await page.locator(".ed-rail button").nth(1).click();
  const levels = await page.locator('.ed-tree [role="treeitem"][data-row]').evaluateAll((rows) =>
    rows.filter((r) => !r.dataset.row.includes(">")).map((r) => `${r.dataset.row} ${r.getAttribute("aria-level")}`));
  assert.deepEqual(levels, ["start 1", "pay 1", "reserve 2", "charge 2", "done 1"]);
});

test("no page did what the policy forbids", () => {
  assert.deepEqual(faults.filter((f) => !/net::ERR_FAILED/.test(f)), []);
});
