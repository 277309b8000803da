// Test runs in the editor: on the drawing, step by step, with a clock that can
// be moved, up to a step, and of one step alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let workflow;

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to, port = "success") => ({ id: `${from}-${port}-${to}`, from, port, to });
const place = (x, y, title, more = {}) => ({ x, y, title, ...more });

const graph = {
  signalbox: 1,
  name: "Approvals",
  nodes: [
    node("start", "manual", {}),
    node("tidy", "set", { fields: { n: "=input.n + 1" } }),
    node("look_up", "mock", { answer: { amount: "=input.n * 10" } }),
    node("ask", "human", { title: "Approve?", decisions: [{ port: "yes", title: "Yes" }], timeout: "72h" }),
    node("pay", "mock", { answer: { paid: true } }),
    node("late", "set", { fields: { late: true }, keep: false }),
  ],
  edges: [edge("start", "tidy"), edge("tidy", "look_up"), edge("look_up", "ask"), edge("ask", "pay", "yes"), edge("ask", "late", "timeout")],
  layout: {
    sample: { n: 1 },
    nodes: {
      start: place(0, 0, "Start"),
      tidy: place(260, 0, "Tidy up"),
      look_up: place(520, 0, "Look up"),
      ask: place(780, 0, "Ask the boss"),
      pay: place(1060, -90, "Pay"),
      late: place(1060, 110, "Too late"),
    },
  },
};

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  const made = await api("POST", "/api/workflows", { name: "Approvals", graph });
  assert.equal(made.status < 300, true, JSON.stringify(made.body));
  workflow = made.body.id ?? made.body.workflow?.id;
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const api = async (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      const text = await r.text();
      return { status: r.status, body: text === "" ? {} : JSON.parse(text) };
    },
    [method, path, body ?? null],
  );

const open = async () => {
  await page.goto(`${program.origin}/w/${workflow}`);
  await page.locator('.k-card[data-id="start"]').waitFor();
};
const card = (id) => page.locator(`.k-card[data-id="${id}"]`);
const bar = () => page.locator(".rig");
const status = (word) => page.locator(`.rig[data-status="${word}"]`).waitFor();
const chip = (word) => page.locator('.rig [role="status"]', { hasText: word }).waitFor();
const press = (name) => bar().getByRole("button", { name }).click();
const runID = () => bar().getAttribute("data-run");

async function start(options = []) {
  await page.keyboard.press("Control+Enter");
  await page.locator("#ed-run-input:focus").waitFor();
  await choose(options);
}

/** Sets the options of the dialog to exactly these, and starts. */
async function choose(options) {
  for (const name of ["Step by step", "Virtual clock"]) {
    const box = page.locator(".ed-runopts").getByText(name, { exact: true });
    if ((await box.locator("..").locator("input").isChecked()) !== options.includes(name)) await box.click();
  }
  const skip = page.locator(".ed-runopts").getByText("Skip every wait");
  if (options.includes("Virtual clock") && (await skip.locator("..").locator("input").isChecked()) !== options.includes("Skip every wait"))
    await skip.click();
  await page.locator(".ed-dlg footer .btn.pri").click();
  await bar().waitFor();
}

async function close() {
  await bar().getByRole("button", { name: "Close the test" }).click();
  await bar().waitFor({ state: "detached" });
}

test("a breakpoint holds the run on the drawing, its data are changed, and it is stepped and let go", async () => {
  await open();
  await card("tidy").click();
  await page.keyboard.press("b");
  await card("tidy").locator(".k-badge.brk").waitFor();
  await start();
  await chip("Held at Tidy up");
  await page.locator('.k-card[data-id="tidy"].st-waiting').waitFor();
  const input = page.locator("#rig-input");
  await page.waitForFunction(() => document.querySelector("#rig-input")?.value.includes('"n": 1'));
  assert.deepEqual(await axe(page), [], "axe");

  // It is held in the engine: another tab and a reload see the same.
  const run = await runID();
  await page.goto(`${program.origin}/runs/${run}`);
  await page.locator('.rig [role="status"]', { hasText: "Held at Tidy up" }).waitFor();
  assert.deepEqual(await axe(page), [], "axe");
  await page.locator("#rig-input").fill('{"n": 6}');
  await page.keyboard.press("F10");
  await page.locator('.rig [role="status"]', { hasText: "Held at Look up" }).waitFor();
  await page.waitForFunction(() => document.querySelector("#rig-input")?.value.includes('"n": 7'));
  await page.keyboard.press("F8");
  await page.locator(".ask", { hasText: "Approve?" }).getByRole("button", { name: "Yes" }).click();
  await page.locator(".run-top .chip", { hasText: "Succeeded" }).waitFor();
  const { body } = await api("GET", `/api/runs/${run}/events`);
  assert.deepEqual(
    body.events.filter((e) => e.type === "VisitHeld").map((e) => e.node),
    ["tidy", "look_up"],
  );

  // The badge is this person's own: it is there again, and it is in no drawing.
  await open();
  await card("tidy").locator(".k-badge.brk").waitFor();
  const draft = await api("GET", `/api/workflows/${workflow}/draft`);
  assert.doesNotMatch(JSON.stringify(draft.body.graph), /break/);
  assert.equal(await input.count(), 0);
});

test("text that is no JSON is not handed on; stepping shows each step on the drawing; stop ends it", async () => {
  await open();
  await start(["Step by step"]);
  await chip("Held at Tidy up");
  await page.waitForFunction(() => document.querySelector("#rig-input")?.value.includes('"n"'));
  await page.locator("#rig-input").fill("{");
  await page.locator(".rig-held .err").waitFor();
  assert.equal(await bar().getByRole("button", { name: "Step" }).isDisabled(), true);
  await page.locator("#rig-input").fill('{"n": 2}');
  await press("Step");
  await chip("Held at Look up");
  await page.locator('.k-card[data-id="tidy"].st-done').waitFor();
  await page.locator('.k-card[data-id="look_up"].st-waiting').waitFor();
  await press("Stop");
  await status("canceled");
  await close();
  assert.equal(await page.locator(".k-card.st-done").count(), 0, "the canvas is a drawing again");
});

test("fast-forward three days and see the timeout branch", async () => {
  await open();
  await card("tidy").click();
  await page.keyboard.press("b"); // the breakpoint goes
  await start(["Virtual clock"]);
  await page.locator('.k-card[data-id="ask"].st-waiting').waitFor();
  await press("Advance…");
  await page.locator(".rig-choices").getByRole("button", { name: "1 day" }).click();
  await page.locator(".rig-time", { hasText: "24 h" }).waitFor();
  await status("waiting");
  await press("Skip to next timer");
  await status("succeeded");
  await page.locator('.k-card[data-id="late"].st-done').waitFor();
  await page.locator('.k-card[data-id="pay"].st-skipped').waitFor();
  await page.locator(".rig-end", { hasText: '"late": true' }).waitFor();
  const { body } = await api("GET", `/api/runs/${await runID()}/events`);
  const ended = body.events.find((e) => e.type === "WaitCompleted");
  assert.equal(ended.port, "timeout");
  assert.ok(ended.at - body.events[0].at >= 72 * 3_600_000, "by the run's own clock three days passed");
  await press("Again");
  await status("waiting");
  await bar().getByText("Skip waits").click();
  await status("succeeded");
  await close();
});

test("run to here calls nothing again that was recorded, and ends there", async () => {
  await open();
  await card("ask").click();
  await page.keyboard.press("Control+Shift+Enter");
  await page.locator("#ed-run-input:focus").waitFor();
  await page.locator(".ed-dlg", { hasText: "Run to “Ask the boss”" }).waitFor();
  await choose(["Virtual clock", "Skip every wait"]);
  await status("succeeded");
  const { body } = await api("GET", `/api/runs/${await runID()}/events`);
  assert.deepEqual(body.events.filter((e) => e.type === "TaskScheduled"), [], JSON.stringify(body.events));
  assert.equal(body.events.find((e) => e.node === "look_up" && e.type === "NodeCompleted").pinned, true);
  assert.equal(body.events.some((e) => e.node === "late"), false);
  await close();
});

test("one step alone, with what it got in an earlier run", async () => {
  await open();
  await card("look_up").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Test this step alone" }).click();
  await page.locator("#ed-run-input:focus").waitFor();
  await page.waitForFunction(() => document.querySelector("#ed-run-past")?.options.length > 1);
  const oldest = await page.locator("#ed-run-past option").last().getAttribute("value");
  await page.locator("#ed-run-past").selectOption(oldest);
  await page.waitForFunction(() => document.querySelector("#ed-run-input")?.value.includes('"n": 7'));
  assert.deepEqual(await axe(page), [], "axe");
  await choose([]);
  await status("succeeded");
  await page.locator(".rig-end", { hasText: '"amount": 70' }).waitFor();
  const { body } = await api("GET", `/api/runs/${await runID()}/events`);
  assert.deepEqual([...new Set(body.events.filter((e) => e.type === "TaskScheduled").map((e) => e.node))], ["look_up"]);
  await close();
});

test("the controls are refused to a run that is no test, and the pages stay clean", async () => {
  await api("POST", `/api/workflows/${workflow}/publish`, { seq: (await api("GET", `/api/workflows/${workflow}/draft`)).body.seq });
  const started = await api("POST", `/api/workflows/${workflow}/runs`, { input: { n: 1 } });
  assert.equal(started.status, 202);
  const id = started.body.run.id;
  assert.equal((await api("POST", `/api/runs/${id}/clock`, { to: "next" })).status, 409);
  assert.equal((await api("POST", `/api/runs/${id}/release`, { node: "tidy", visit: 1 })).status, 409);
  assert.deepEqual(faults, []);
});
