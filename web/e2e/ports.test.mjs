// What data looks like at ports: beside the pointer, in the inspector, while an
// edge is drawn, in the list of steps to connect to, and among completions.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let faults;
let page;
let id;

const graph = {
  signalbox: 1,
  nodes: [
    { id: "start", key: "start", kind: "manual", config: {} },
    {
      id: "ask",
      key: "ask",
      kind: "mock",
      config: { answer: { id: "T-1", paid: true, lines: [{ name: "pen", price: 2 }] } },
    },
    { id: "sum", key: "sum", kind: "transform", config: { expression: "input.lines.map(l, l.price)" } },
    { id: "mail", key: "mail", kind: "transform", config: { expression: "input.address + ', hello'" } },
  ],
  edges: [
    { id: "e1", from: "start", port: "success", to: "ask" },
    { id: "e2", from: "ask", port: "success", to: "sum" },
  ],
  layout: {
    nodes: {
      start: { x: 0, y: 0 },
      ask: { x: 300, y: 0, title: "Ask for the order" },
      sum: { x: 600, y: 0, title: "Prices" },
      mail: { x: 600, y: 220, title: "Write a letter" },
    },
  },
};

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  ({ id } = await page.evaluate(
    async (g) => {
      const r = await fetch("/api/workflows", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: "Order", graph: g }),
      });
      return r.json();
    },
    graph,
  ));
  const known = page.waitForResponse((r) => r.url().endsWith("/ports"));
  await page.goto(`${program.origin}/w/${id}`);
  await page.locator(".k-card").first().waitFor();
  await known;
});

after(async () => {
  await browser?.close();
  await program?.stop();
});

async function shot(name) {
  if (!process.env.SHOTS) return;
  mkdirSync(process.env.SHOTS, { recursive: true });
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${scheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** The middle of a port's dot on the screen. */
async function portAt(node, port) {
  const box = await page.locator(`.k-card[data-id="${node}"] [data-port="${port}"]`).first().boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test("a port shows its shape beside the pointer", async () => {
  const at = await portAt("ask", "success");
  await page.mouse.move(at.x, at.y - 60);
  await page.mouse.move(at.x, at.y, { steps: 4 });
  const card = page.locator(".ed-port[role=tooltip]");
  await card.waitFor();
  const text = await card.innerText();
  assert.match(text, /Gives: Success/);
  assert.match(text, /id[\s\S]*required[\s\S]*text/);
  assert.match(text, /lines[\s\S]*list \(object\)[\s\S]*price[\s\S]*number/);
  assert.deepEqual(await axe(page), []);
  await shot("port");
  await page.mouse.move(at.x, at.y + 300);
  await card.waitFor({ state: "detached" });
});

test("an edge that cannot fit says why, and can be drawn all the same", async () => {
  const from = await portAt("ask", "success");
  const to = await page.locator('.k-card[data-id="mail"]').boundingBox();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + 20, { steps: 8 });
  const why = page.locator(".k-why");
  await page.waitForFunction(() => /Needs address, gets id, lines, paid/.test(document.querySelector(".k-why")?.textContent ?? ""));
  await shot("drop");
  await page.mouse.up();
  assert.match(await why.innerText(), /Needs address/);
  await page.locator('.ed-save[data-state="saved"]').waitFor();
  const edges = await page.evaluate(async (w) => (await (await fetch(`/api/workflows/${w}/draft`)).json()).graph.edges, id);
  assert.ok(edges.some((e) => e.from === "ask" && e.to === "mail"));
  await page.locator('.k-card[data-id="mail"]').click();
  await page.getByText("“Write a letter” reads “input.address”, which never comes. In “input” there is: id, lines, paid. It comes from “Ask for the order”.").first().waitFor();
});

test("the inspector says what a step takes and gives", async () => {
  await page.locator('.k-card[data-id="sum"]').click();
  await page.getByRole("tab", { name: "Data" }).click();
  const takes = page.locator(".ed-inspbody section", { hasText: "Takes" });
  await takes.waitFor();
  assert.match(await takes.innerText(), /lines[\s\S]*price/);
  const gives = page.locator(".ed-inspbody section", { hasText: "Gives: Success" });
  assert.match(await gives.innerText(), /list \(number\)/);
  assert.match(await page.locator(".ed-inspbody section", { hasText: "Gives: Failure" }).innerText(), /error[\s\S]*class[\s\S]*message/);
  assert.deepEqual(await axe(page), []);
  await shot("inspector");
  await page.locator('.k-card[data-id="start"]').click();
  await page.locator(".ed-inspbody section", { hasText: "It can be anything." }).waitFor();
});

test("by keyboard, the lists of ports and steps say the same", async () => {
  await page.keyboard.press("Escape");
  await page.locator('.k-card[data-id="ask"]').click();
  await page.locator('.k-card[data-id="ask"]').focus();
  await page.keyboard.press("c");
  await page.locator(".ed-quick [role=option]", { hasText: "id, lines, paid" }).waitFor();
  await page.keyboard.press("Escape");
});

test("completions come from shapes before anything has run", async () => {
  await page.locator('.k-card[data-id="sum"]').click();
  await page.getByRole("tab", { name: "Configure" }).click();
  await page.locator(".ed-inspbody .x-at-rest, .ed-inspbody .ed-expr").first().click();
  await page.locator(".cm-content").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" + input.", { delay: 10 });
  const list = page.locator(".cm-tooltip-autocomplete");
  await list.locator("li", { hasText: "paid" }).waitFor();
  assert.match(await list.innerText(), /id\s+string[\s\S]*lines\s+list[\s\S]*paid\s+boolean/);
  await shot("completions");
  await page.keyboard.press("Escape");
});

test("nothing went wrong on the pages", () => {
  assert.deepEqual(faults, []);
});
