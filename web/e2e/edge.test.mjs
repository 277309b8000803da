// Workers at the edge: a place where nobody works is told, and who comes there
// is seen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let worker;
const dir = mkdtempSync(join(tmpdir(), "signalbox-edge-"));

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
});

after(async () => {
  worker?.kill("SIGKILL");
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const shots = process.env.SHOTS;
async function shot(name) {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
}
const ask = (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, headers: { "Content-Type": "application/json" }, body: b === undefined ? undefined : JSON.stringify(b) });
      const text = await r.text();
      if (!r.ok) throw new Error(`${m} ${p}: ${r.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
    [method, path, body],
  );
const step = (key, kind, config) => ({ id: key, key, kind, config, ...(kind === "manual" ? {} : { task: { location: "=input.shop" } }) });

test("a place where nobody works says so", async () => {
  const rules = [{ name: "In the shop", when: [{ attribute: "location", op: "starts_with", value: "shop-" }], queue: "at:shop-7" }];
  await ask("PUT", "/api/routes", { revision: 0, default: "default", rules });
  const graph = {
    signalbox: 1,
    name: "Weigh",
    nodes: [step("start", "manual", {}), step("weigh", "mock", { answer: { grams: 7 } }), step("print", "external", { type: "print_label", input: "=input" })],
    edges: ["weigh", "print"].map((to) => ({ id: to, from: "start", port: "success", to })),
    layout: {},
  };
  const { id } = await ask("POST", "/api/workflows", { graph });
  const { seq } = await ask("GET", `/api/workflows/${id}/draft`);
  await ask("POST", `/api/workflows/${id}/publish`, { seq });
  await ask("POST", `/api/workflows/${id}/runs`, { input: { shop: "shop-7" } });
  await ask("POST", `/api/workflows/${id}/runs`, { input: { shop: "Shop 9" } });
  await page.goto(`${program.origin}/queues`);
  for (const [queue, says] of [
    ["at:shop-7", "Nobody at shop-7 takes these tasks"],
    ["worker:print_label@shop-7", "Nobody at shop-7 takes these tasks"],
    ["worker:print_label@?", "No worker can be there"],
  ])
    await page.locator(`[data-queue="${queue}"] .chip.fail`, { hasText: says }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("edge-nobody");
});

test("a worker at the edge takes the steps of its location", async () => {
  const { token } = await ask("POST", "/api/tokens", { name: "shop 7", role: "worker" });
  worker = spawn("bin/signalbox", ["worker", "--location", "shop-7", "--spool", join(dir, "spool"), "--lease", "5m"], {
    env: { ...process.env, SIGNALBOX_URL: program.origin, SIGNALBOX_TOKEN: token.token, DATABASE_URL: "", NATS_URL: "" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const row = page.locator('[data-queue="at:shop-7"]');
  await row.locator(".chip", { hasText: "Workers: 1" }).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('[data-queue="at:shop-7"] .level b')].every((n) => n.textContent === "0"));
  const mine = page.locator('#workers tbody tr');
  await mine.locator(".chip.ok", { hasText: "At work" }).waitFor();
  assert.match(await mine.textContent(), /shop-7.*Steps sent to its location/);
  assert.deepEqual(await axe(page), []);
  await shot("edge-worker");
  worker.kill("SIGTERM");
  assert.equal(await new Promise((done) => worker.once("exit", done)), 0);
  await mine.locator(".chip", { hasText: "Said goodbye" }).waitFor();
});

test("it fits narrow windows and the dark", async () => {
  await page.setViewportSize({ width: 800, height: 1000 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0);
  await shot("edge-narrow");
  assert.deepEqual(faults, []);
  const dark = await browser.page({ colorScheme: "dark", locale: "zh-CN", storageState: await page.context().storageState() });
  page = dark.page;
  await page.goto(`${program.origin}/queues`);
  await page.locator('#workers', { hasText: "自有工作者" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("edge-dark");
  assert.deepEqual(dark.faults, []);
});
