// Files of other tools, snippets, and changes described in words, in a real
// browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;

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

const n8n = (name) => readFileSync(`engine/exchange/testdata/n8n/${name}.json`, "utf8");

const paste = (text) =>
  page.evaluate((t) => {
    const data = new DataTransfer();
    data.setData("text/plain", t);
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);

const call = (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const init = { method: m, headers: { "Content-Type": "application/json" } };
      const answer = await fetch(p, b === undefined ? init : { ...init, body: JSON.stringify(b) });
      return answer.status === 204 ? {} : answer.json();
    },
    [method, path, body],
  );

const id = () => new URL(page.url()).pathname.split("/")[2];
const graph = async () => (await call("GET", `/api/workflows/${id()}/draft`)).graph;

async function until(what, holds) {
  for (const end = Date.now() + 8_000; ; await page.waitForTimeout(40)) {
    if (await holds()) return;
    if (Date.now() > end) assert.fail(what);
  }
}

/** A workflow of two steps in a row, open in the editor. */
async function open(name) {
  const file = {
    signalbox: 1,
    name,
    nodes: [
      { id: "start", key: "start", kind: "manual" },
      { id: "facts", key: "facts", kind: "set", config: { fields: { n: "=trigger.n" }, keep: true } },
    ],
    edges: [{ id: "e1", from: "start", port: "success", to: "facts" }],
    layout: { nodes: { start: { x: 0, y: 0 }, facts: { x: 320, y: 0 } } },
  };
  const { id: made } = await call("POST", "/api/workflows", { graph: file });
  await page.goto(`${program.origin}/w/${made}`);
  await page.locator('.k-card[data-id="facts"]').waitFor();
}

test("a file of n8n is shown as what it becomes, asked about, and made", async () => {
  await page.locator("[data-import]").waitFor();
  await page.waitForLoadState("networkidle");
  await paste(n8n("weather-merge"));
  const dialog = page.locator("dialog.imp");
  await dialog.waitFor();
  assert.match(await dialog.locator(".imp-meter").innerText(), /2\s*exact\s*1\s*approximated\s*4\s*not supported/);
  assert.equal(await dialog.locator("svg.pic").count(), 1);
  assert.match(await dialog.innerText(), /Archive/);
  assert.deepEqual(await axe(page), []);
  assert.equal((await call("GET", "/api/workflows")).workflows.length, 1, "nothing is saved yet");
  await dialog.locator('input[value="all"]').check();
  await page.locator("dialog.imp:not([aria-busy])").waitFor();
  await until("the answer has gone in", async () => !/which join/.test(await dialog.innerText()));
  await dialog.locator("#import-name").fill("Briefing of mine");
  await dialog.locator("[data-import-create]").click();
  await page.waitForURL(/\/w\//);
  await page.locator(".k-card").first().waitFor();
  const made = await graph();
  assert.equal(made.name, "Briefing of mine");
  assert.deepEqual(made.nodes.find((n) => n.key === "both").join, { mode: "all" });
});

test("a file let go over the canvas goes in as one step of undo; nonsense says why", async () => {
  await open("Host");
  const drop = (text, name) =>
    page.evaluate(
      ([t, n]) => {
        const data = new DataTransfer();
        data.items.add(new File([t], n));
        const at = { clientX: 600, clientY: 600, bubbles: true, cancelable: true, dataTransfer: data };
        document.querySelector(".k-root").dispatchEvent(new DragEvent("drop", at));
      },
      [text, name],
    );
  await drop("<html></html>", "a.xml");
  await page.locator(".toast", { hasText: "no SCXML document" }).waitFor();
  await drop(n8n("invoices-loop"), "loop.json");
  const dialog = page.locator("dialog.imp");
  await dialog.locator("[data-import-insert]").click();
  await until("the steps are there", async () => (await graph()).nodes.length === 11);
  const made = await graph();
  const loop = made.nodes.find((n) => n.kind === "map");
  assert.equal(made.nodes.filter((n) => n.in === loop.id).length, 3);
  await page.keyboard.press("Control+z");
  await until("one undo takes all away", async () => (await graph()).nodes.length === 2);
});

test("chosen steps are kept as a snippet, put in by the keyboard with keys of their own, and deleted", async () => {
  await open("Snippets");
  await page.locator('.k-card[data-id="facts"]').click();
  await page.locator('.k-card[data-id="facts"]').click({ button: "right" });
  await page.locator(".ed-menu button", { hasText: "Save as a snippet" }).click();
  await page.locator("#snippet-name").fill("Just the facts");
  await page.locator("#snippet-about").fill("One step that reads a number.");
  await page.keyboard.press("Tab");
  await page.locator("dialog .btn.pri").click();
  await page.locator(".toast", { hasText: "Just the facts" }).waitFor();
  await page.locator('.k-card[data-id="facts"]').click();
  await page.keyboard.press("a");
  await page.locator(".ed-quick input:focus").waitFor();
  await page.keyboard.type("just the", { delay: 5 });
  await page.locator(".ed-quick .ed-snip-pic svg.pic").waitFor();
  await page.keyboard.press("Enter");
  await until("the copy hangs on the step", async () => (await graph()).edges.length === 2);
  const { nodes, edges } = await graph();
  assert.deepEqual(nodes.map((n) => n.key).sort(), ["facts", "facts_2", "start"]);
  assert.equal(edges.find((e) => e.id !== "e1").from, "facts"); // they stand in the order of their ids
  await page.keyboard.press("Control+z");
  await until("one undo takes it away", async () => (await graph()).nodes.length === 2);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("snippets", { delay: 5 });
  await page.keyboard.press("Enter");
  await page.locator(".ed-snips .ed-snip-pic svg.pic").waitFor();
  assert.equal(await page.locator(".ed-snips li").count(), 5);
  assert.deepEqual(await axe(page), []);
  await page.locator(".ed-snip .dng").click();
  await page.locator(".ed-snip .dng", { hasText: "Really" }).click();
  await until("it is gone", async () => (await page.locator(".ed-snips li").count()) === 4);
  await page.locator(".ed-snips li button", { hasText: "Saga of two steps" }).click();
  await page.locator(".ed-snip .btn.pri").click();
  await until("the saga is there", async () => (await graph()).nodes.length === 7);
});

const answer = (summary, ops) => call("PUT", "/api/assistant", { provider: "mock", answer: { summary, ops } });

async function describe(wish) {
  await page.locator('.ed-dock button[aria-label="Describe a change in words"]').click();
  await page.locator("#wish").fill(wish);
  await page.keyboard.press("Control+Enter");
}

test("a change described in words is proposed, shown, and accepted as one step or dropped", async () => {
  await open("Described");
  await page.locator('.ed-dock button[aria-label="Describe a change in words"]').click();
  await page.locator("dialog .note", { hasText: "No model is chosen" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await answer("Somebody is asked first.", [
    { op: "node.add", id: "n", value: { key: "ask", kind: "human", title: "Ask first", config: { title: "Go on?", decisions: [{ port: "yes" }, { port: "no" }] } } },
    { op: "edge.set", id: "e1", path: "/to", value: "n" },
    { op: "edge.add", id: "m", value: { from: "n", port: "yes", to: "facts" } },
  ]);
  await describe("Ask a person first");
  const review = page.locator(".ed-review");
  await review.waitFor();
  assert.match(await review.innerText(), /Somebody is asked first\./);
  await review.locator(".ed-jump", { hasText: "Ask first" }).first().waitFor();
  assert.match(await review.innerText(), /sends .no. nowhere/);
  assert.deepEqual(await axe(page), []);
  assert.equal((await graph()).nodes.length, 2, "nothing changes by itself");
  await page.keyboard.press("Escape");
  await review.waitFor({ state: "detached" });
  assert.equal((await graph()).nodes.length, 2);
  await describe("Ask a person first");
  await review.locator(".btn.pri").click();
  await until("the step is there", async () => (await graph()).nodes.length === 3);
  assert.equal((await graph()).edges.length, 2);
  await page.locator(".k-root").focus();
  await page.keyboard.press("Control+z");
  await until("one undo takes it away", async () => (await graph()).nodes.length === 2);
  assert.equal((await graph()).edges[0].to, "facts");
});

test("an answer that cannot be used says why", async () => {
  await answer("", [{ op: "node.del", id: "nobody" }]);
  await describe("Delete something");
  await page.locator("dialog .note.fail", { hasText: "cannot be done" }).waitFor();
  assert.equal((await graph()).nodes.length, 2);
  await page.keyboard.press("Escape");
});

test("no page did what a page must never do", () => {
  assert.deepEqual(faults, []);
});
