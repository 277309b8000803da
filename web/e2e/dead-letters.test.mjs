// Dead letters: looked at, retried with another input, chosen by key, discarded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to) => ({ id: `${from}-${to}`, from, port: "success", to });
const graph = {
  signalbox: 1,
  name: "Refunds",
  nodes: [
    node("start", "manual", {}),
    node("look_up", "mock", { answer: { fails: "=input.fails" } }),
    node("charge", "mock", { fail_times: "=input.fails", error_class: "invalid_input", error_message: "The amount is not a number.", answer: { paid: true } }, { retry: { max_attempts: 1 } }),
    node("answer", "output", { value: "=input.paid" }),
  ],
  edges: [edge("start", "look_up"), edge("look_up", "charge"), edge("charge", "answer")],
  layout: { nodes: {} },
};

const api = async (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      return { status: r.status, body: await r.json() };
    },
    [method, path, body ?? null],
  );
const shots = process.env.SHOTS;
async function shot(name) {
  if (shots === undefined) return;
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${shots}/${name}-${scheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

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

test("with no dead letters the page says so", async () => {
  await page.goto(`${program.origin}/queues`);
  await page.locator("[data-letters-chip]").click();
  await page.getByRole("heading", { name: "No dead letters" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shot("letters-empty");
});

test("a failure that nothing caught is kept, and retried with another input", async () => {
  const made = await api("POST", "/api/workflows", { name: "Refunds", graph });
  const id = made.body.id ?? made.body.workflow?.id;
  const { body: draft } = await api("GET", `/api/workflows/${id}/draft`);
  const published = await api("POST", `/api/workflows/${id}/publish`, { seq: draft.seq });
  assert.ok(published.status < 300, JSON.stringify(published));
  for (let i = 0; i < 3; i++) {
    const started = await api("POST", `/api/workflows/${id}/runs`, { input: { fails: 1 } });
    assert.equal(started.status, 202, JSON.stringify(started));
  }
  await page.goto(`${program.origin}/dead-letters`);
  await page.waitForFunction(async () => {
    const answer = await fetch("/api/dead-letters");
    return (await answer.json()).dead_letters.length === 3;
  });
  await page.goto(`${program.origin}/runs`);
  await page.locator("[data-letters-chip]", { hasText: "3" }).click();
  await page.locator("[data-letter-row]").first().waitFor();
  assert.equal(await page.locator("[data-letter-row]").count(), 3);
  assert.deepEqual(await axe(page), []);
  await shot("letters");
  await page.locator("[data-letter]").first().click();
  const letter = page.locator("dialog#letter");
  await letter.getByText("The amount is not a number.").first().waitFor();
  await letter.getByText("Attempt 1").waitFor();
  assert.deepEqual(JSON.parse(await letter.locator("textarea").inputValue()), { fails: 1 });
  assert.deepEqual(await axe(page), []);
  await shot("letter");
  await letter.locator("textarea").fill("{");
  await letter.getByRole("button", { name: "Retry" }).click();
  await letter.getByText("This is no JSON").waitFor();
  await letter.locator("textarea").fill('{"fails":0}');
  await letter.getByRole("button", { name: "Retry" }).click();
  await letter.waitFor({ state: "hidden" });
  const retried = await api("GET", "/api/dead-letters?state=retried");
  const fresh = retried.body.dead_letters[0].new_run;
  await page.waitForFunction(async (run) => {
    const answer = await fetch(`/api/runs/${run}`);
    const body = await answer.json();
    return (body.status ?? body.run?.status) === "succeeded";
  }, fresh);
});

test("many are chosen by key and discarded together", async () => {
  await page.locator("[data-letter-row]").nth(1).waitFor();
  await page.locator("[data-letters-all]").focus();
  await page.keyboard.press("Space");
  await page.getByText("2 chosen").waitFor();
  await page.locator('[data-letters-act="discard"]').press("Enter");
  await page.getByRole("heading", { name: "No dead letters" }).waitFor();
  const closed = await api("GET", "/api/dead-letters?state=discarded");
  assert.equal(closed.body.dead_letters.length, 2);
  assert.deepEqual(faults, []);
});
