// Links for people without an account, and the gallery's folders: shared,
// filled in, watched, tried in a sandbox, framed, revoked; moved, tagged,
// exported, deleted.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
const shots = process.env.SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

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

const api = async (path, body, method = body === undefined ? "GET" : "POST") =>
  page.evaluate(
    async ([p, b, m]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      const text = await r.text();
      return { status: r.status, body: text === "" ? {} : JSON.parse(text) };
    },
    [path, body ?? null, method],
  );

/** Turns to a theme and waits until no color is on its way. */
const turn = (p, theme) =>
  p.evaluate(async (t) => {
    document.documentElement.setAttribute("data-theme", t);
    // What inherits a color follows when the transition before it is over.
    for (;;) {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const moving = document.getAnimations().filter((a) => a instanceof CSSTransition);
      if (moving.length === 0) return;
      await Promise.allSettled(moving.map((a) => a.finished));
    }
  }, theme);

const shot = async (p, name) => {
  if (!shots) return;
  for (const theme of ["light", "dark"]) {
    await turn(p, theme);
    await p.screenshot({ path: `${shots}/${name}-${theme}.png` });
  }
  await p.evaluate(() => document.documentElement.setAttribute("data-theme", "light"));
};

/** axe in both themes. */
async function clean(p, what) {
  for (const theme of ["light", "dark"]) {
    await turn(p, theme);
    assert.deepEqual(await axe(p), [], `axe on ${what}, ${theme}`);
  }
}

// A workflow with a form: the priority chooses the way.
const graph = {
  signalbox: 1,
  name: "Ask and answer",
  description: "Says hello, the quick or the slow way.",
  nodes: [
    { id: "s", key: "start", kind: "manual", config: { description: "Who are you, and how urgent is it?" } },
    { id: "r", key: "pick", kind: "route", config: { match: "first", rules: [{ port: "quick", when: "input.priority >= 8" }] } },
    { id: "a", key: "fast", kind: "mock", config: { answer: { hello: "=input.name" }, latency_ms: 20 } },
    { id: "b", key: "slow", kind: "mock", config: { answer: { hello: "later" }, latency_ms: 20 } },
  ],
  edges: [
    { id: "1", from: "s", port: "success", to: "r" },
    { id: "2", from: "r", port: "quick", to: "a" },
    { id: "3", from: "r", port: "default", to: "b" },
  ],
  layout: {
    nodes: { s: { x: 0, y: 80, title: "Somebody asks" }, r: { x: 300, y: 60, title: "Is it urgent?" }, a: { x: 650, y: 0, title: "Answer at once" }, b: { x: 650, y: 180, title: "Answer later" } },
    sample: { name: "secret-sample-person", priority: 3 },
  },
};

let workflow;

test("the dialog of the editor shows exactly what becomes public, and makes the link", async () => {
  const { body } = await api("/api/workflows", { graph });
  workflow = body.id;
  await api(`/api/workflows/${workflow}/publish`, { seq: 0 });
  await page.goto(`${program.origin}/w/${workflow}`);
  await page.locator(".ed-share").click();
  const dialog = page.locator("dialog:has([data-sharing])");
  await dialog.locator("img.sharing-picture").waitFor();
  await shot(page, "dialog-view");
  await clean(page, "the share dialog");
  await dialog.getByLabel("Run it with a form").check();
  await dialog.getByText("The form: the names of the fields name, priority.").waitFor();
  await dialog.getByText("Listed publicly").click();
  await dialog.getByText("Anybody can find it.").waitFor();
  await dialog.getByText("All of it, exactly").click();
  const exact = await dialog.locator(".sharing-exact pre").innerText();
  assert.match(exact, /"name": "priority"/);
  assert.doesNotMatch(exact, /secret-sample-person|input\.priority/, "the preview shows a secret");
  await dialog.getByText("Show it on another site").click();
  await dialog.getByLabel("Sites that may show it").fill("not a site");
  await dialog.getByText("This is not the address of a site.").waitFor();
  await dialog.getByLabel("Sites that may show it").fill("http://127.0.0.1:1");
  await dialog.locator("img.sharing-picture").waitFor();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const url = await dialog.locator("#sharing-url").inputValue();
  assert.equal(url, `${program.origin}/p/ask-and-answer`);
  assert.match(await dialog.locator("#sharing-badge").inputValue(), /^\[!\[Ask and answer\]\(.*\/badge\.svg\)\]/);
  await dialog.locator(`[data-link]`).waitFor();
  await shot(page, "dialog-made");
  await clean(page, "the made link");
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
});

test("a guest fills in the form and watches the run without a login", async () => {
  const guest = await browser.page();
  await guest.page.goto(`${program.origin}/p/ask-and-answer`);
  await guest.page.getByText("Who are you, and how urgent is it?").waitFor();
  await guest.page.locator("#share.live").waitFor();
  await shot(guest.page, "share-form");
  await clean(guest.page, "the page with a form");
  await guest.page.getByLabel("name").fill("Zebulon");
  await guest.page.getByLabel("priority").fill("9");
  await guest.page.getByRole("button", { name: "Run", exact: true }).click();
  await guest.page.waitForURL(/\/s\/[A-Z2-7]{26}$/);
  await guest.page.getByText("Succeeded").first().waitFor();
  await guest.page.locator(".share-scrub").waitFor();
  await clean(guest.page, "the guest's run");
  const { body } = await api(`/api/runs?workflow=${workflow}&source=share`);
  assert.equal(body.runs.length, 1, "the owner sees it among the runs");
  assert.doesNotMatch(await guest.page.content(), /Zebulon/, "what goes in stays with the owner");
  assert.deepEqual(guest.faults, []);
  await guest.context.close();
});

test("a guest scrubs a run and tries another way in a sandbox", async () => {
  const { body } = await api(`/api/runs?workflow=${workflow}&source=share`);
  const run = body.runs[0].id;
  await page.goto(`${program.origin}/runs/${run}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.locator("dialog:has([data-sharing])");
  await dialog.locator("img.sharing-picture").waitFor();
  await dialog.getByText("Let guests try another way").click();
  await dialog.getByText("Show input and result").click();
  await dialog.getByText("Input and result of the run.").waitFor();
  await dialog.locator("img.sharing-picture").waitFor();
  await shot(page, "dialog-run");
  await clean(page, "the share dialog of a run");
  await dialog.getByRole("button", { name: "Make the link" }).click();
  const url = await dialog.locator("#sharing-url").inputValue();
  assert.match(url, /\/s\/[A-Z2-7]{26}$/);

  const guest = await browser.page();
  await guest.page.goto(url);
  await guest.page.locator("[data-another]:enabled").waitFor();
  assert.match(await guest.page.locator(".share-data").innerText(), /"name": "Zebulon"[\s\S]*"hello": "Zebulon"/);
  await guest.page.keyboard.press(",");
  await guest.page.locator(".banner").waitFor();
  await guest.page.keyboard.press("l");
  await shot(guest.page, "share-run");
  await guest.page.locator("[data-another]").click();
  await guest.page.getByLabel("What the event puts out instead (JSON)").fill('{"name":"Eve","priority":1}');
  await shot(guest.page, "sandbox-dialog");
  await clean(guest.page, "the sandbox dialog");
  const before = (await api(`/api/runs?workflow=${workflow}`)).body.runs.length;
  await guest.page.getByRole("button", { name: "Play", exact: true }).last().click();
  await guest.page.locator("[data-sandbox]").waitFor();
  await guest.page.getByText("A sandbox: nothing outside was called.").waitFor();
  await shot(guest.page, "sandbox");
  await clean(guest.page, "a sandbox");
  assert.equal((await api(`/api/runs?workflow=${workflow}`)).body.runs.length, before, "a sandbox starts no run");
  assert.equal(await guest.page.locator(".toast").count(), 0, "something went wrong beside it");
  await guest.page.getByRole("button", { name: "Back to the run" }).click();
  await guest.page.locator("[data-sandbox]").waitFor({ state: "detached" });

  // The owner revokes it from the dialog, and the guest's page says so.
  await dialog.locator("[data-link] button").first().click();
  await dialog.getByRole("button", { name: "Really revoke?" }).click();
  await guest.page.getByText("This link was revoked").waitFor();
  assert.equal((await fetch(url)).status, 404);
  assert.deepEqual(guest.faults, []);
  await guest.context.close();
});

test("pictures, badge and frame", async () => {
  const at = `${program.origin}/p/ask-and-answer`;
  for (const [path, type] of [
    [".svg", "image/svg+xml"],
    [".svg?theme=dark", "image/svg+xml"],
    [".png", "image/png"],
    ["/badge.svg", "image/svg+xml"],
  ]) {
    const answer = await fetch(at + path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get("content-type"), type);
  }
  assert.match(await (await fetch(`${at}/badge.svg`)).text(), /Succeeded/);
  const guest = await browser.page();
  await guest.page.setContent(`<img id="a" src="${at}.svg"><img id="b" src="${at}/badge.svg"><img id="c" src="${at}.png">`);
  await guest.page.waitForFunction(() => [...document.images].every((i) => i.complete && i.naturalWidth > 0));

  // Another site shows it only when the owner named it.
  const site = createServer((req, res) => {
    res.setHeader("Content-Type", "text/html");
    res.end(`<!doctype html><title>site</title><iframe src="${new URL(req.url, "http://x").searchParams.get("embed")}" width="900" height="420"></iframe>`);
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${site.address().port}`;
  const make = async (origins) =>
    (await api("/api/shares", { target: "workflow", id: workflow, scope: "run", origins })).body.share.url.replace("/s/", "/embed/");
  await guest.page.goto(`${origin}/?embed=${encodeURIComponent(await make([origin]))}`);
  const frame = guest.page.frameLocator("iframe");
  await frame.getByText("Ask and answer").first().waitFor();
  await frame.locator("#share.live").waitFor();
  assert.equal(await frame.locator("form, [data-another], [data-theme-next]").count(), 0, "the frame has something to press");
  await shot(guest.page, "frame");
  await guest.page.goto(`${origin}/?embed=${encodeURIComponent(await make([]))}`);
  await guest.page.waitForFunction(() => document.querySelector("iframe") !== null);
  assert.equal(await frame.getByText("Ask and answer").count(), 0, "a site that was not named shows it");
  await guest.context.close();
  site.close();
});

test("a copy goes into a workspace, or along as a file", async () => {
  const { body } = await api("/api/shares", { target: "workflow", id: workflow, scope: "copy" });
  const guest = await browser.page();
  await guest.page.goto(body.share.url);
  assert.equal(await guest.page.getByRole("button", { name: "Use this workflow" }).count(), 0);
  const [download] = await Promise.all([guest.page.waitForEvent("download"), guest.page.getByRole("link", { name: "Download" }).click()]);
  assert.equal(download.suggestedFilename(), "ask-and-answer.json");
  await guest.context.close();
  await page.goto(body.share.url);
  await page.locator("#share.live").waitFor();
  await shot(page, "share-copy");
  await clean(page, "a page to copy from");
  await page.getByRole("button", { name: "Use this workflow" }).click();
  await page.waitForURL(/\/w\/[0-9a-f-]{36}$/);
  assert.ok(!page.url().endsWith(workflow), "the copy is a workflow of its own");
});

test("folders, and several workflows at once", async () => {
  await page.goto(program.origin);
  await page.getByRole("button", { name: "New folder" }).click();
  await page.locator("#folder-new").getByLabel("Name").fill("Money");
  await page.locator("#folder-new").getByRole("button", { name: "Save" }).click();
  await page.locator(".folders").getByText("Money").waitFor();
  await page.reload();
  const boxes = page.locator("[data-choose]");
  const total = await boxes.count();
  assert.ok(total >= 3);
  await boxes.nth(0).click();
  await boxes.nth(1).focus();
  await page.keyboard.press("Enter");
  await page.getByText("2 chosen").waitFor();
  await shot(page, "gallery-chosen");
  await clean(page, "the gallery with chosen cards");
  const [archive] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  assert.equal(archive.suggestedFilename(), "workflows.zip");
  await page.getByLabel("Add a tag").fill("billing");
  await page.keyboard.press("Enter");
  await page.locator(".wf-tags").getByText("billing").first().waitFor();
  await boxes.nth(0).click();
  await page.locator("[data-chosen-move]").selectOption({ label: "Money" });
  await page.locator(".folders").getByRole("link", { name: "Money 1" }).click();
  await page.waitForURL(/folder=/);
  assert.equal(await page.locator("[data-choose]").count(), 1, "the folder filters in the address");
  assert.equal(await page.getByRole("button", { name: "Delete folder" }).count(), 0, "a full folder cannot be deleted");
  await page.getByRole("button", { name: "Rename folder" }).click();
  await page.locator("#folder-name").getByLabel("Name").fill("Bills");
  await page.locator("#folder-name").getByRole("button", { name: "Save" }).click();
  await page.locator(".folders").getByText("Bills").waitFor();
  await shot(page, "gallery-folder");
  await page.locator("[data-choose]").click();
  await page.locator("[data-chosen-delete]").click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete folder" }).waitFor();
  await page.getByRole("button", { name: "Delete folder" }).click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete" }).click();
  await page.locator(".folders").getByText("Bills").waitFor({ state: "detached" });
  await page.goto(program.origin);
  assert.equal(await page.locator("[data-choose]").count(), total - 1);
});

test("no page broke its policy or threw", () => {
  assert.deepEqual(faults, []);
});
