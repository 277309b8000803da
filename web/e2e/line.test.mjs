// One line through everything: set up, gallery, draw, run, watch, share.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let context;
let faults;

before(async () => {
  program = await startProgram({ fresh: true });
  browser = await startBrowser();
  ({ page, context, faults } = await browser.page());
  await becomeOwner(page, program);
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const api = async (path, body) =>
  page.evaluate(
    async ([p, b]) => {
      const r = await fetch(p, b === null ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) });
      return { status: r.status, body: await r.json() };
    },
    [path, body ?? null],
  );

async function flagship() {
  const { body } = await api("/api/workflows");
  return body.workflows.find((w) => /triage/i.test(w.name));
}

const ticket = (priority) =>
  fetch(`${program.origin}/hooks/demo-ticket`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ subject: "Payment failed twice", priority }),
  });

test("the gallery has the flagship, published", async () => {
  const w = await flagship();
  assert.ok(w, "Support ticket triage is imported");
  assert.equal(w.active_version, 1);
  assert.ok(await page.getByText("Support ticket triage").first().isVisible());
});

test("the README's curl answers, and its run is in the list", async () => {
  const res = await ticket(9);
  assert.equal(res.status, 200);
  const answer = await res.json();
  assert.match(answer.case, /^T-\d+$/);
  await page.goto(`${program.origin}/runs`);
  await page.getByText("Succeeded").first().waitFor();
  const { body } = await api("/api/runs?limit=1");
  const run = body.runs[0];
  const { body: log } = await api(`/api/runs/${run.id}/events`);
  const types = log.events.map((e) => e.type);
  assert.equal(types[0], "RunStarted");
  assert.equal(types.at(-1), "RunSucceeded");
  assert.ok(log.events.some((e) => e.queue === "express"), "high priority goes to the express queue");
  assert.deepEqual(
    log.events.map((e) => e.seq),
    log.events.map((_, i) => i + 1),
    "numbers are dense",
  );
});

test("a run and a workflow are shared by link, and revoked", async () => {
  const w = await flagship();
  const { body: runs } = await api("/api/runs?limit=1");
  for (const [target, id] of [
    ["workflow", w.id],
    ["run", runs.runs[0].id],
  ]) {
    const { body, status } = await api("/api/shares", { target, id });
    assert.equal(status < 300, true, JSON.stringify(body));
    const url = new URL(body.share.url, program.origin).href;
    const bare = await (await fetch(url)).text();
    assert.match(bare, /<svg/, "the drawing is in the first HTML");
    assert.doesNotMatch(bare, /demo-ticket/, "a guest does not see the webhook's path");
    const guest = await browser.page();
    await guest.page.goto(url);
    assert.ok(await guest.page.getByText("Support ticket triage").first().isVisible());
    assert.deepEqual(await axe(guest.page), [], `axe on the shared ${target}`);
    const gone = await page.evaluate(async (s) => (await fetch(`/api/shares/${s}`, { method: "DELETE" })).status, body.share.id);
    assert.equal(gone < 300, true);
    assert.equal((await fetch(url)).status, 404, "a revoked link is gone");
    assert.deepEqual(guest.faults, []);
    await guest.context.close();
  }
});

test("axe is clean on every page, light and dark", async () => {
  const w = await flagship();
  const { body } = await api("/api/runs?limit=1");
  // Each with what is there when it is drawn whole.
  const pages = {
    "/": ".card", "/runs": "tbody tr", [`/w/${w.id}/runs`]: "tbody tr", [`/w/${w.id}/versions`]: "main",
    "/settings": "main", [`/w/${w.id}`]: ".k-card", [`/runs/${body.runs[0].id}`]: ".stage-svg .n",
  };
  for (const [path, drawn] of Object.entries(pages)) {
    for (const theme of ["light", "dark"]) {
      await context.addCookies([{ name: "theme", value: theme, url: program.origin }]);
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(program.origin + path, { waitUntil: "load" });
      await page.locator(drawn).first().waitFor();
      assert.deepEqual(await axe(page, { colors: theme === "dark" }), [], `axe on ${path} (${theme})`);
    }
  }
});

test("no page broke its policy or threw", () => {
  assert.deepEqual(faults, []);
});
