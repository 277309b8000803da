// What workers of one's own announce, in the editor: in the list of things to
// add, as a form, and as a warning when nobody does it.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let faults;
let page;
let token;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  const made = await call("/api/tokens", { name: "worker", role: "worker" });
  token = made.token.token;
  await ask("announce", {
    worker: "resizer-1",
    types: [
      {
        name: "resize_image",
        title: "Resize an image",
        description: "Makes an image smaller. The original stays.",
        icon: "scan",
        input: {
          type: "object",
          required: ["url"],
          properties: {
            url: { type: "string", title: "Address of the image" },
            width: { type: "integer", title: "Width", minimum: 1, default: 640 },
            mode: { type: "string", title: "Mode", enum: ["fit", "fill"], default: "fit" },
          },
        },
      },
      { name: "old_scan", title: "Scan a page", icon: "no-such-icon" },
    ],
  });
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

/** Asks as a worker does. */
async function ask(question, body) {
  const res = await fetch(`${program.origin}/api/worker/${question}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  assert.equal(res.status, 200, await res.clone().text());
  return res.json();
}

async function shot(name) {
  if (!process.env.SHOTS) return;
  mkdirSync(process.env.SHOTS, { recursive: true });
  for (const [scheme, width, height] of [["light", 1440, 900], ["dark", 1440, 900], ["light", 800, 1000]]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(400);
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${scheme}-${width}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("an announced type is added from the list, with a form of its own", async () => {
  const graph = {
    signalbox: 1,
    nodes: [{ id: "start", key: "start", kind: "manual", config: {} }],
    edges: [],
    layout: { nodes: { start: { x: 0, y: 0 } } },
  };
  const { id } = await call("/api/workflows", { name: "Pictures", graph });
  await page.goto(`${program.origin}/w/${id}`);
  await page.locator(".k-card").first().waitFor();
  const known = page.waitForResponse((r) => r.url().endsWith("/api/workers"));
  await known;
  await page.keyboard.press("Escape");
  await page.locator(".k-root").first().focus();
  await page.keyboard.press("a");
  await page.locator(".ed-quick input:focus").waitFor();
  await page.keyboard.type("resize", { delay: 5 });
  const row = page.locator(".ed-quick [role=option]").first();
  assert.match(await row.innerText(), /Resize an image[\s\S]*Makes an image smaller/);
  assert.equal(await row.locator("use").getAttribute("href").then((h) => h.split("#")[1]), "scan");
  await shot("quick-add");
  await page.keyboard.press("Enter");
  await page.locator(".ed-quick").waitFor({ state: "detached" });
  await page.locator(".k-card", { hasText: "Resize an image" }).waitFor();
  const fields = page.locator(".ed-inspbody .ed-field");
  await fields.filter({ hasText: "Address of the image" }).first().waitFor();
  assert.equal(await page.locator('[data-field="/config/input/width"] input').inputValue(), "640");
  await page.locator('.ed-save[data-state="saved"]').waitFor();
  const { graph: saved } = await call(`/api/workflows/${id}/draft`);
  const node = saved.nodes.find((n) => n.kind === "external");
  assert.deepEqual(node.config.input, { url: "=input.url", width: 640, mode: "fit" });
  assert.equal(node.config.type, "resize_image");
  assert.deepEqual(await axe(page), []);
  await shot("form");
});

test("a type that nobody does any more is warned of", async () => {
  await ask("leave", { worker: "resizer-1" });
  await page.reload();
  await page.locator(".k-card", { hasText: "Resize an image" }).waitFor();
  await page.locator(".k-card", { hasText: "Resize an image" }).click();
  const foot = page.getByText(/No worker does “resize_image” at the moment/).first();
  await foot.waitFor();
  await shot("warning");
  assert.deepEqual(await axe(page), []);
  // It comes back: the warning goes with the next look.
  await ask("take", { worker: "resizer-1", types: ["resize_image"], wait_seconds: 0 });
  await page.reload();
  await page.waitForResponse((r) => r.url().endsWith("/api/workers"));
  await page.locator(".k-card", { hasText: "Resize an image" }).click();
  await page.locator(".ed-insphead").waitFor();
  assert.equal(await page.getByText(/No worker does/).count(), 0);
});

test("what a type gives anew, and a called workflow takes anew, is seen without an edit", async () => {
  const type = (output) => ({ name: "weigh", title: "Weigh a parcel", output });
  const gives = (name) => ({ type: "object", required: [name], properties: { [name]: { type: "number" } } });
  await ask("announce", { worker: "scale-1", types: [type(gives("grams"))] });
  const callee = (name) => ({
    signalbox: 1,
    nodes: [
      { id: "start", key: "start", kind: "manual", config: { input_schema: gives(name) } },
      { id: "end", key: "end", kind: "output", config: { value: `=input.${name}` } },
    ],
    edges: [{ id: "e", from: "start", port: "success", to: "end" }],
    layout: { nodes: { start: { x: 0, y: 0 }, end: { x: 300, y: 0 } } },
  });
  const called = await call("/api/workflows", { name: "Charge", graph: callee("amount") });
  const publish = async () => {
    const { seq } = await call(`/api/workflows/${called.id}/draft`);
    const made = await call(`/api/workflows/${called.id}/publish`, { seq });
    assert.ok(made.version, JSON.stringify(made));
  };
  await publish();
  const { id } = await call("/api/workflows", {
    name: "Parcels",
    graph: {
      signalbox: 1,
      nodes: [
        { id: "start", key: "start", kind: "manual", config: {} },
        { id: "weigh", key: "weigh", kind: "external", config: { type: "weigh" } },
        { id: "charge", key: "charge", kind: "call", config: { workflow: called.id } },
      ],
      edges: [
        { id: "e1", from: "start", port: "success", to: "weigh" },
        { id: "e2", from: "weigh", port: "success", to: "charge" },
      ],
      layout: { nodes: { start: { x: 0, y: 0 }, weigh: { x: 300, y: 0 }, charge: { x: 600, y: 0 } } },
    },
  });
  const known = page.waitForResponse((r) => r.url().endsWith("/ports"));
  await page.goto(`${program.origin}/w/${id}`);
  await known;
  const shape = (part) => page.locator(".ed-inspbody section", { hasText: part });
  const back = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.locator('.k-card[data-id="weigh"]').click();
  await page.getByRole("tab", { name: "Data" }).click();
  await shape("Gives: Success").getByText("grams").waitFor();
  await ask("announce", { worker: "scale-1", types: [type(gives("ounces"))] });
  await back(); // as when the person comes back to the page
  await shape("Gives: Success").getByText("ounces").waitFor();
  await page.locator('.k-card[data-id="charge"]').click();
  await shape("Takes").getByText("amount").waitFor();
  const { seq: base } = await call(`/api/workflows/${called.id}/draft`);
  const edited = await call(`/api/workflows/${called.id}/ops`, {
    batch: crypto.randomUUID(),
    base,
    ops: [{ op: "node.set", id: "start", path: "/config/input_schema", value: gives("cents") }, { op: "node.set", id: "end", path: "/config/value", value: "=input.cents" }],
  });
  assert.ok(edited.seq > base, JSON.stringify(edited));
  await publish();
  await back();
  await shape("Takes").getByText("cents").waitFor();
});

test("nothing went wrong on the pages", () => {
  assert.deepEqual(faults, []);
});
