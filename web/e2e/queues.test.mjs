// Queues and routes: what waits, limits, pause, and the editor of the table.
import assert from "node:assert/strict";
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
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const shots = process.env.SHOTS;
async function shot(name) {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
}
const post = (path, body) =>
  page.evaluate(
    async ([p, b]) => {
      const r = await fetch(p, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) });
      return r.text();
    },
    [path, body],
  );
const ticket = { subject: "Payment failed twice", priority: 9 };

test("a paused queue holds tasks, shows them, and lets them go on", async () => {
  await page.goto(`${program.origin}/queues`);
  const express = page.locator('[data-queue="express"]');
  await express.waitFor();
  assert.deepEqual(await axe(page), []);
  await express.getByRole("button", { name: "Pause" }).click();
  await express.locator(".chip", { hasText: "Paused" }).waitFor();
  void fetch(`${program.origin}/hooks/demo-ticket`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(ticket) }).catch(() => undefined);
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('[data-queue="express"] .level b')];
    return all.some((n) => Number(n.textContent) > 0);
  });
  await shot("queues-waiting");
  await express.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction(() => {
    const row = document.querySelector('[data-queue="express"]');
    return row?.querySelector(".chip.wait") === null && [...row.querySelectorAll(".level b")].every((n) => n.textContent === "0");
  });
});

test("limits are set in place, and a wrong one is refused with its place", async () => {
  const express = page.locator('[data-queue="express"]');
  await express.getByRole("button", { name: "Limits" }).click();
  const dialog = page.locator("#limits-express");
  await dialog.waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("queues-limits");
  await page.waitForLoadState("networkidle");
  await dialog.getByLabel("At once").fill("3");
  await dialog.getByLabel("Take turns by").fill("color");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.locator("[data-fault]", { hasText: "labels." }).waitFor();
  await dialog.getByLabel("Take turns by").fill("workflow");
  await dialog.getByRole("button", { name: "Save" }).click();
  await express.locator(".slots", { hasText: "0 of 3" }).waitFor();
});

test("rules are ordered by keyboard, tried out and saved", async () => {
  const rules = page.locator(".rule");
  assert.equal(await rules.count(), 2);
  await page.getByRole("button", { name: "Add a rule" }).click();
  assert.equal(await rules.count(), 3);
  await page.keyboard.type("reports");
  await rules.nth(2).locator(".when select").first().selectOption("kind");
  await rules.nth(2).getByLabel("Value").fill("http");
  await rules.nth(2).getByLabel("Queue").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Alt+ArrowUp");
  assert.equal(await rules.nth(0).getByLabel("Queue").inputValue(), "reports");
  const trial = page.locator(".trial");
  await trial.getByLabel("Kind of step").fill("http");
  await trial.getByRole("button", { name: "Try" }).click();
  await page.locator(".rule.hit").waitFor();
  assert.match(await trial.locator(".answer").textContent(), /It goes to reports .* Rule 1 says so/);
  await trial.getByLabel("Kind of step").fill("llm");
  await trial.getByLabel("Priority").fill("urgent!!");
  await trial.getByRole("button", { name: "Try" }).click();
  await page.waitForFunction(() => /is no priority/.test(document.querySelector(".trial .answer")?.textContent ?? ""));
  assert.deepEqual(await axe(page), []);
  await shot("queues-rules");
  const kept = page.waitForResponse((r) => r.url().endsWith("/api/routes") && r.request().method() === "PUT");
  await page.getByRole("button", { name: "Save the table" }).click();
  assert.equal((await kept).status(), 200);
  await page.getByRole("button", { name: "Save the table", disabled: true }).waitFor();
  await page.waitForFunction(() => document.querySelector(".routes .said")?.textContent === "");
  await page.reload();
  await rules.nth(2).waitFor();
  assert.equal(await rules.nth(0).getByLabel("Queue").inputValue(), "reports");
  assert.match(await post("/api/routes/test", { kind: "http" }), /reports/);
});

test("a rule learns among queues, is pinned, and forgets", async () => {
  const rules = page.locator(".rule");
  await page.getByRole("button", { name: "Add a rule" }).click();
  const rule = rules.last();
  await rule.getByLabel("Value").selectOption("low");
  await rule.getByLabel("Where it goes").selectOption("learn");
  await page.keyboard.type("quick");
  await page.keyboard.press("Tab");
  await page.keyboard.type("quick");
  const save = page.getByRole("button", { name: "Save the table" });
  await save.click();
  await page.locator(".routes .said", { hasText: "each queue once" }).waitFor();
  await rule.getByLabel("Queue 2").fill("careful");
  await rule.getByLabel("What is best").selectOption("fastest");
  assert.deepEqual(await axe(page), []);
  const last = await rules.count();
  for (let i = last - 1; i > 0; i--) await rules.nth(i).getByRole("button", { name: "Move up" }).click();
  const kept = page.waitForResponse((r) => r.url().endsWith("/api/routes") && r.request().method() === "PUT");
  await save.click();
  assert.equal((await kept).status(), 200);
  const learned = page.locator("#learned");
  await learned.getByText("Share now").waitFor();
  await learned.getByText("not enough yet").first().waitFor();

  // Tasks teach it.
  const send = () => fetch(`${program.origin}/hooks/demo-ticket`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(ticket) });
  for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 10 }, send));
  const known = () => post("/api/routes/test", { kind: "mock" });
  for (let i = 0; i < 50 && !/"n":/.test(await known()); i++) await page.waitForTimeout(200);
  assert.match(await known(), /"why":"(best|tried)"/);
  await page.waitForFunction(() => /\d ms|\d s/.test(document.querySelector("#learned tbody")?.textContent ?? ""));
  assert.deepEqual(await axe(page), []);
  await shot("queues-learned");

  // A run says why its queue was chosen.
  await page.goto(`${program.origin}/runs`);
  await page.locator('#rows a[href*="/runs/"]').first().click();
  await page.getByText(/served best|to learn more|nothing known yet/).first().waitFor();
  await shot("run-learned");
  await page.goto(`${program.origin}/queues`);

  await learned.getByRole("button", { name: "Pin to careful" }).click();
  await learned.getByText("Pinned to careful").waitFor();
  assert.match(await known(), /"queue":"careful".*"why":"pinned"/);
  await learned.getByRole("button", { name: "Unpin from careful" }).click();
  await learned.getByText("is spread evenly").waitFor();
  await learned.getByRole("button", { name: "Forget what was learned" }).click();
  await page.locator("dialog").getByRole("button", { name: "Forget" }).click();
  await page.waitForFunction(() => /nothing yet/.test(document.querySelector("#learned tbody")?.textContent ?? ""));
  assert.match(await known(), /"why":"unknown"/);
});

test("it fits narrow windows and the dark", async () => {
  await page.setViewportSize({ width: 800, height: 1000 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0);
  await shot("queues-narrow");
  assert.deepEqual(faults, []);
  const dark = await browser.page({ colorScheme: "dark", locale: "zh-CN", storageState: await page.context().storageState() });
  page = dark.page;
  await page.goto(`${program.origin}/queues`);
  await page.locator(".rule").first().waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("queues-dark");
  assert.deepEqual(dark.faults, []);
});
