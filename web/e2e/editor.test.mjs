// The editor in the real program, by keyboard: add, save, see it in another
// tab, undo, publish, reload.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let flow;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  flow = (await get("/api/workflows")).workflows[0].id;
});

after(async () => {
  await browser?.close();
  await program?.stop();
});

const get = (path) => page.evaluate(async (p) => (await fetch(p)).json(), path);
const draft = () => get(`/api/workflows/${flow}/draft`);

/** Asks again until the answer is what is awaited. */
async function until(what, ask) {
  for (let i = 0; i < 100; i++) {
    if (await ask()) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`this never came: ${what}`);
}

const canvas = (p) => p.locator('[role="application"]').first();

test("a step added by keyboard is saved, and another tab sees it", async () => {
  await page.goto(`${program.origin}/w/${flow}`, { waitUntil: "networkidle" });
  const other = await page.context().newPage();
  await other.goto(`${program.origin}/w/${flow}`, { waitUntil: "networkidle" });
  await page.bringToFront();
  await canvas(page).focus();
  await page.keyboard.press("a");
  await page.getByRole("dialog").first().waitFor();
  await page.keyboard.type("wait");
  await page.keyboard.press("Enter");
  await until("the step in the draft", async () => (await draft()).graph.nodes.length === 10);
  await page.getByText("Saved").first().waitFor();
  await until("the other tab's count of steps", async () => (await other.textContent("body")).includes("10 steps"));
  await other.close();
});

test("undo takes it back, as an edit of its own", async () => {
  await page.keyboard.press("Escape");
  await canvas(page).focus();
  await page.keyboard.press("Control+z");
  await until("nine steps again", async () => (await draft()).graph.nodes.length === 9);
  assert.equal((await draft()).seq, 2);
});

test("publish makes the next version", async () => {
  await page.getByRole("button", { name: /Publish/ }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: /Publish/ }).last().click();
  await until("version 2", async () => (await get("/api/workflows")).workflows[0].active_version === 2);
});

test("a reload shows the same drawing", async () => {
  await page.goto(`${program.origin}/w/${flow}`, { waitUntil: "networkidle" });
  await page.getByText("9 steps, 10 connections").waitFor();
  assert.deepEqual(faults, []);
});
