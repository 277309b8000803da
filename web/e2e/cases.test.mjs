// Past runs as cases: kept from the run's page, played before publishing, and
// shown beside what the draft would do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let workflow;
let run;

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to, port = "success") => ({ id: `${from}-${port}-${to}`, from, port, to });
const graph = {
  signalbox: 1,
  name: "Credit",
  nodes: [
    node("start", "manual", {}),
    node("large", "if", { condition: "input.total > 100" }),
    node("score", "mock", { answer: { score: 7 } }),
    node("answer", "output", { value: { ok: true, total: "=trigger.total" } }),
  ],
  edges: [edge("start", "large"), edge("large", "score", "true"), edge("large", "answer", "false"), edge("score", "answer")],
  layout: { nodes: { start: { x: 0, y: 0 }, large: { x: 260, y: 0 }, score: { x: 520, y: -80, title: "Ask for the score" }, answer: { x: 780, y: 0 } } },
};

const api = async (method, path, body) => {
  const answer = await page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      const text = await r.text();
      return { status: r.status, body: text === "" ? {} : JSON.parse(text) };
    },
    [method, path, body ?? null],
  );
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.body;
};

const shots = process.env.SHOTS;
async function shot(name) {
  if (shots === undefined) return;
  for (const scheme of ["light", "dark"])
    for (const width of [1440, 800]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png` });
    }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
}

const ended = async (id) => {
  for (let i = 0; i < 200; i++) {
    const { run: r } = await api("GET", `/api/runs/${id}`);
    if (r.ended_at !== undefined) return r;
    await page.waitForTimeout(25);
  }
  throw new Error("the run does not end");
};

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  workflow = (await api("POST", "/api/workflows", { name: "Credit", graph })).id;
  await api("POST", `/api/workflows/${workflow}/publish`, { seq: 0 });
  run = (await api("POST", `/api/workflows/${workflow}/runs`, { input: { total: 500 } })).run.id;
  await ended(run);
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

test("a run is kept as a case, and the draft does the same on it", async () => {
  await page.goto(`${program.origin}/w/${workflow}/cases`);
  await page.getByRole("heading", { name: "No cases yet" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.goto(`${program.origin}/runs/${run}`);
  await page.getByRole("button", { name: "Keep as a case" }).click();
  await page.getByLabel("Name").fill("A large order");
  await shot("case-keep");
  await page.keyboard.press("Enter");
  await page.getByText("The run is kept as the case A large order.").waitFor();
  await page.getByRole("link", { name: "See all cases" }).click();
  await page.getByText("The case does the same with the draft").waitFor();
  await page.locator("[data-case] .chip", { hasText: "Same" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("switch", { name: "Publish only when the cases do the same" }).check();
  await page.getByText("The workflow is published only when its cases do the same.").waitFor();
});

test("publishing shows what would differ, and an owner says why it is right", async () => {
  await api("POST", `/api/workflows/${workflow}/ops`, {
    batch: crypto.randomUUID(),
    base: 0,
    ops: [{ op: "node.set", id: "large", path: "/config/condition", value: "input.total > 1000" }],
  });
  await page.goto(`${program.origin}/w/${workflow}/cases`);
  await page.locator("[data-case] .chip", { hasText: "Differs" }).waitFor();
  await page.getByText("large is left another way, or not visited").waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("cases");
  await page.goto(`${program.origin}/w/${workflow}`);
  await page.getByRole("button", { name: /^Publish/ }).click();
  await page.getByText("1 of 1 cases do not do the same").waitFor();
  assert.ok(await page.getByRole("button", { name: "Publish v2 all the same" }).isDisabled(), "without a reason it is not published");
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Why it is right all the same").fill("Only very large orders are asked about now.");
  await shot("publish-cases");
  await page.getByRole("button", { name: "Publish v2 all the same" }).click();
  await page.locator("dialog[open]").waitFor({ state: "hidden" });
  await page.goto(`${program.origin}/w/${workflow}/cases`);
  await page.locator("[data-case] .chip", { hasText: "Accepted" }).waitFor();
  await page.getByText("Only very large orders are asked about now.").waitFor();
});

test("both are compared side by side", async () => {
  const { cases } = await api("GET", `/api/workflows/${workflow}/cases`);
  await page.goto(`${program.origin}/runs/${run}?case=${cases[0].id}`);
  await page.getByRole("heading", { name: "A large order" }).waitFor();
  await page.getByRole("button", { name: "Ask for the score" }).click();
  await page.getByRole("heading", { name: "B", exact: true }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("case-compare");
});

test("what a run asks a person has room of its own, with its text", async () => {
  const asks = {
    signalbox: 1,
    name: "Refund",
    nodes: [
      node("start", "manual", {}),
      node("ask", "human", {
        title: "Refund {{ input.amount }} euro?",
        text: "The customer says that the parcel never came.\nThe carrier says that it did.",
        assignees: ["The desk"],
        decisions: [{ port: "yes", title: "Refund" }, { port: "no", title: "Refuse" }],
        fields: [{ name: "note", title: "Note" }],
      }),
      node("done", "output", { value: "=input" }),
    ],
    edges: [edge("start", "ask"), edge("ask", "done", "yes"), edge("ask", "done", "no")],
    layout: { nodes: { start: { x: 0, y: 0 }, ask: { x: 260, y: 0 }, done: { x: 520, y: 0 } } },
  };
  const id = (await api("POST", "/api/workflows", { name: "Refund", graph: asks })).id;
  await api("POST", `/api/workflows/${id}/publish`, { seq: 0 });
  const started = (await api("POST", `/api/workflows/${id}/runs`, { input: { amount: 40 } })).run.id;
  await page.goto(`${program.origin}/runs/${started}`);
  const ask = page.locator(".ask", { hasText: "Refund 40 euro?" });
  await ask.getByText("The customer says that the parcel never came.").waitFor();
  await ask.getByText("For The desk").waitFor();
  const drawing = await page.locator(".run-canvas").boundingBox();
  const card = await ask.boundingBox();
  assert.ok(card.y >= drawing.y + drawing.height - 1, "it covers nothing of the drawing");
  assert.deepEqual(await axe(page), []);
  await shot("ask");
  await ask.getByLabel("Note").fill("Lost");
  await ask.getByRole("button", { name: "Refund", exact: true }).click();
  const done = await ended(started);
  assert.equal(done.status, "succeeded");
});

test("many runs are acted on at once, with a report; a filter is kept as a chip", async () => {
  const waits = {
    signalbox: 1,
    name: "Rest",
    nodes: [node("start", "manual", {}), node("rest", "wait", { duration: "1h" })],
    edges: [edge("start", "rest")],
    layout: { nodes: { start: { x: 0, y: 0 }, rest: { x: 260, y: 0 } } },
  };
  const id = (await api("POST", "/api/workflows", { name: "Rest", graph: waits })).id;
  await api("POST", `/api/workflows/${id}/publish`, { seq: 0 });
  for (let i = 0; i < 5; i++) await api("POST", `/api/workflows/${id}/runs`, {});
  await page.goto(`${program.origin}/w/${id}/runs`);
  await page.getByRole("checkbox", { name: /^Choose run/ }).first().check();
  await page.getByText("1 chosen", { exact: true }).waitFor();
  await page.getByLabel("Do with them…").selectOption("label");
  await page.locator("#bulk-word").fill("looked at");
  await page.getByRole("button", { name: "Add a label" }).click();
  await page.getByText("Done: 1 of 1; 0 skipped").waitFor();
  await page.locator("#bulk-dlg").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("link", { name: "looked at" }).click();
  await page.waitForURL(/label=looked/);
  await page.getByRole("button", { name: "Keep this filter" }).click();
  await page.locator("#filter-keep").getByLabel("Name").fill("Looked at");
  await page.locator("#filter-keep").getByRole("button", { name: "Save" }).click();
  await page.locator(".kept.on", { hasText: "Looked at" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.goto(`${program.origin}/w/${id}/runs`);
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await page.getByRole("button", { name: "Choose all that match this filter" }).click();
  await page.getByText("All that match this filter", { exact: true }).waitFor();
  const fresh = () => page.waitForResponse((r) => r.request().headers()["sb-fragment"] === "rows");
  await fresh();
  await fresh();
  assert.equal(await page.getByRole("checkbox", { name: /^Choose run/, checked: true }).count(), 5, "a fresh list keeps the choice");
  assert.deepEqual(await axe(page), []);
  await shot("bulk-bar");
  await page.getByLabel("Do with them…").selectOption("cancel");
  await page.getByText("Cancel 5 runs?").waitFor();
  await shot("bulk-ask");
  await page.locator("#bulk-dlg").getByRole("button", { name: "Cancel", exact: true }).last().click();
  await page.getByText("Done: 5 of 5; 0 skipped").waitFor();
  await page.locator("#bulk-dlg").getByRole("button", { name: "Close" }).last().click();
  // Once more: nothing is left to cancel, and the report says so.
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await page.getByLabel("Do with them…").selectOption("cancel");
  await page.locator("#bulk-dlg").getByRole("button", { name: "Cancel", exact: true }).last().click();
  await page.getByText("Done: 0 of 5; 5 skipped").waitFor();
  await page.getByText("The run is over already.").waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("bulk-report");
});

test("nothing was thrown and no rule of the pages was broken", () => {
  assert.deepEqual(faults, []);
});
