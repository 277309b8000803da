// The editor in a real browser against the real program: a workflow made by
// keyboard alone, two people on one drawing, a broken line, undo, copies.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, says, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let context;
let faults;
let page;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, context, faults } = await browser.page());
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: program.origin });
  await becomeOwner(page, program);
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

/** A workflow with three steps in a row, opened in the editor. */
async function openLine(name, into = page) {
  const node = (id, kind, x, config = {}) => ({ id, key: id, kind, config, x });
  const nodes = [
    node("start", "manual", 0),
    node("facts", "set", 320, { fields: { total: "=input.n * 2" } }),
    node("result", "output", 640, { value: "=nodes.facts.output.total" }),
  ];
  const graph = {
    signalbox: 1,
    nodes: nodes.map(({ x, ...n }) => n),
    edges: [
      { id: "e1", from: "start", port: "success", to: "facts" },
      { id: "e2", from: "facts", port: "success", to: "result" },
    ],
    layout: { nodes: Object.fromEntries(nodes.map((n) => [n.id, { x: n.x, y: 0 }])), sample: { n: 4 } },
  };
  const { id } = await call("/api/workflows", { name, graph });
  await show(id, into);
  return id;
}

async function show(id, into = page) {
  await into.goto(`${program.origin}/w/${id}`);
  await into.locator('.k-card, .ed-empty').first().waitFor();
}

const card = (title, into = page) => into.locator(".k-card", { hasText: title }).first();
const saved = (into = page) => into.locator('.ed-save[data-state="saved"]').waitFor();
const draft = (id) => call(`/api/workflows/${id}/draft`);
const byKind = ({ graph }, kind) => graph.nodes.find((n) => n.kind === kind);
const key = (name) => page.keyboard.press(name);
const type = (text) => page.keyboard.type(text, { delay: 5 });

/** Waits until a question about the draft on the server is answered with yes. */
async function until(what, ask) {
  for (let i = 0; i < 100; i += 1) {
    if (await ask()) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`never came true: ${what}`);
}

/** Adds a step by its name from the canvas, and comes back to the canvas. */
async function addByKey(name) {
  await key("a");
  await page.locator(".ed-quick input:focus").waitFor();
  await type(name);
  await key("Enter");
  await page.locator(".ed-quick").waitFor({ state: "detached" });
}

async function backToCanvas() {
  for (let i = 0; i < 4; i += 1) {
    if (await page.evaluate(() => document.activeElement?.closest(".k-root") !== null)) return;
    await key("Escape");
    await page.waitForTimeout(80);
  }
}

test("a workflow is made, published and run without a pointer", async () => {
  const { id } = await call("/api/workflows", { name: "Keys only" });
  await show(id);
  await page.locator(".ed-empty", { hasText: "Start with a trigger" }).waitFor();
  await addByKey("hand");
  await page.locator(".ed-insp textarea").first().waitFor();
  await backToCanvas();
  await addByKey("route");
  await page.locator(".ed-addrow", { hasText: "Add route" }).waitFor();
  await until("the first open field has the focus", () => page.evaluate(() => document.activeElement?.className === "ed-addrow"));
  await key("Enter");
  await page.locator(".ed-exprhost").waitFor();
  await page.waitForFunction(() => document.querySelector(".ed-exprhost")?.shadowRoot?.activeElement != null);
  await type("input.n > 5");
  await page.locator(".ed-result").first().waitFor();
  await key("Escape");
  if ((await page.locator(".ed-exprhost").count()) > 0) await key("Escape");
  await key("Tab");
  await type("big");
  await key("Enter");
  await backToCanvas();
  await addByKey("result");
  await backToCanvas();
  // Back to the router: its way "default" is still free, and leads to the same step.
  await key("Alt+ArrowLeft");
  await key("c");
  await page.locator(".ed-quick input:focus").waitFor();
  await type("otherwise");
  await key("Enter");
  await page.locator(".ed-from", { hasText: "leads to" }).waitFor();
  await type("result");
  await key("Enter");
  await saved();
  const { graph, issues } = await draft(id);
  assert.deepEqual(graph.nodes.map((n) => n.kind).sort(), ["manual", "output", "route"]);
  assert.deepEqual(graph.nodes.find((n) => n.kind === "route").config.rules, [{ port: "big", when: "input.n > 5" }]);
  assert.deepEqual(graph.edges.map((e) => e.port).sort(), ["big", "default", "success"]);
  assert.deepEqual(issues.filter((i) => i.severity === "error"), []);

  await key("Control+k");
  await page.locator(".ed-palette input:focus").waitFor();
  await type("publish");
  await key("Enter");
  await page.locator("#ed-publish-note").waitFor();
  await page.locator(".ed-dlg footer .btn.pri:enabled").focus();
  await key("Enter");
  await page.locator(".toast", { hasText: "Version 1 is active" }).waitFor();
  await says(page.locator(".ed-publish"), /v2/);

  await key("Control+Enter");
  await page.locator("#ed-run-input:focus").waitFor();
  await key("Control+a");
  await type('{"n":9}');
  await key("Control+Enter");
  const run = await page.locator(".rig").getAttribute("data-run"); // it is shown on the drawing
  await until("the run succeeds", async () => (await call(`/api/runs/${run}`)).run.status === "succeeded");
  assert.deepEqual((await draft(id)).graph.layout.sample, { n: 9 }, "the input is kept for the next test");
});

test("who writes fast loses no letter, whatever the field becomes on the way", async () => {
  const id = await openLine("Fast hands");
  await card("Result").click();
  const field = page.locator('[data-field="/config/value"]');
  const value = async () => byKind(await draft(id), "output").config?.value;
  await field.locator(".ed-exprrest").click();
  await page.waitForFunction(() => document.querySelector(".ed-exprhost")?.shadowRoot?.activeElement != null);
  await key("Control+a");
  await page.keyboard.type("plain words");
  await until("an expression gives way to words", async () => (await value()) === "plain words");
  await key("Control+a");
  await key("Backspace");
  await key("Escape");
  await field.locator(".ed-exprrest").focus();
  await page.keyboard.type("=input.n + 1");
  await until("words give way to an expression", async () => (await value()) === "=input.n + 1");
  await card("Set fields").click();
  await page.locator("button.ed-addrow").click();
  await page.locator(".ed-pair:last-of-type input:focus").waitFor();
  await page.keyboard.type("more");
  await key("Tab");
  await page.keyboard.type("{{ input.n }} of {{ input.n }}");
  await until("a new row is written into", async () => byKind(await draft(id), "set").config.fields.more === "{{ input.n }} of {{ input.n }}");
});

test("two people edit one drawing, and each undoes only what is theirs", async () => {
  const id = await openLine("Two people");
  const other = await context.newPage();
  await show(id, other);
  await card("Set fields").click();
  await page.locator(".ed-titlefield").fill("Mine");
  await key("Enter");
  await card("Mine", other).waitFor();
  await card("Mine", other).click();
  await other.locator(".ed-titlefield").fill("Theirs");
  await other.keyboard.press("Enter");
  await card("Theirs").waitFor();
  await saved();
  await saved(other);
  await page.getByRole("toolbar", { name: "Canvas tools" }).getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast", { hasText: "somebody else changed" }).waitFor();
  assert.equal((await draft(id)).graph.layout.nodes.facts.title, "Theirs");
  await other.close();
});

test("without a line edits are kept, outlive a reload, and arrive when it is back", async () => {
  const id = await openLine("Bad line");
  await page.route("**/api/workflows/*/ops", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
  await card("Set fields").click();
  await page.locator(".ed-titlefield").fill("Kept here");
  await key("Enter");
  await page.locator('.ed-save[data-state="offline"]').waitFor();
  await says(page.locator(".ed-save"), /1 edit kept here/);
  await page.reload();
  await card("Kept here").waitFor();
  assert.notEqual((await draft(id)).graph.layout.nodes.facts.title, "Kept here");
  await page.unroute("**/api/workflows/*/ops");
  await saved();
  assert.equal((await draft(id)).graph.layout.nodes.facts.title, "Kept here");
});

test("an edit that the server refuses is taken back and told", async () => {
  const id = await openLine("Refused");
  await page.route("**/api/workflows/*/ops", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ title: "Invalid", detail: "The rules of the house forbid it." }) })
      : route.continue(),
  );
  await card("Set fields").click();
  await page.locator(".ed-titlefield").fill("Never");
  await key("Enter");
  await page.locator(".toast.fail", { hasText: "The rules of the house forbid it." }).waitFor();
  await card("Set fields").waitFor();
  await page.unroute("**/api/workflows/*/ops");
  assert.equal((await draft(id)).graph.layout.nodes.facts.title, undefined);
});

test("a new key is written into every expression that mentions the old one, as one undo", async () => {
  const id = await openLine("Rename");
  await card("Set fields").click();
  const field = page.locator('[data-field="/key"] input');
  await field.fill("numbers");
  await key("Enter");
  await until("the expression follows", async () => byKind(await draft(id), "output").config.value === "=nodes.numbers.output.total");
  await page.getByRole("toolbar", { name: "Canvas tools" }).getByRole("button", { name: "Undo" }).click();
  await until("both are back", async () => {
    const now = await draft(id);
    return byKind(now, "set").key === "facts" && byKind(now, "output").config.value === "=nodes.facts.output.total";
  });
});

test("copies get keys of their own, and their expressions follow", async () => {
  const id = await openLine("Copies");
  await page.locator(".k-root").focus();
  await key("Control+a");
  await key("Control+c");
  await key("Control+v");
  await until("six steps", async () => (await draft(id)).graph.nodes.length === 6);
  const { graph } = await draft(id);
  const copy = graph.nodes.find((n) => n.kind === "set" && n.key !== "facts");
  const values = graph.nodes.filter((n) => n.kind === "output").map((n) => n.config.value);
  assert.deepEqual(values.sort(), ["=nodes.facts.output.total", `=nodes.${copy.key}.output.total`].sort());
  assert.equal(graph.edges.length, 4);
  await key("Control+z");
  await until("three steps", async () => (await draft(id)).graph.nodes.length === 3);
});

test("deleting a step can join what it connected", async () => {
  const id = await openLine("Rejoin");
  await card("Set fields").click();
  await key("Control+Delete");
  await until("one edge leads past it", async () => {
    const { graph } = await draft(id);
    return graph.nodes.length === 2 && graph.edges.length === 1 && graph.edges[0].from === "start" && graph.edges[0].to === "result";
  });
});

test("a field becomes an expression, with completions and a value for the sample", async () => {
  await openLine("Expressions");
  await card("Result").click();
  await page.locator(".ed-exprrest").first().click();
  await page.waitForFunction(() => document.querySelector(".ed-exprhost")?.shadowRoot?.activeElement != null);
  await key("Control+a");
  await type("=nodes.");
  await page.locator(".cm-tooltip-autocomplete").waitFor();
  await says(page.locator(".cm-tooltip-autocomplete"), /start/);
  await key("Escape");
  await type("start.output.n * 10");
  await page.locator(".ed-result code", { hasText: "40" }).waitFor();
  await type(" +");
  await page.locator(".ed-insp .err, .ed-result.bad").first().waitFor();
});

test("the place where one looks is kept", async () => {
  const id = await openLine("Camera");
  await page.locator(".k-root").focus();
  await key("-");
  await key("-");
  const percent = await page.locator(".ed-percent").textContent();
  await page.reload();
  await page.locator(".k-root").waitFor();
  await until("the same zoom", async () => (await page.locator(".ed-percent").textContent()) === percent);
  await until("the server knows it", async () => Math.round((await draft(id)).camera?.z * 100) === Number.parseInt(percent, 10));
});

test("problems name the step, and publishing waits for them", async () => {
  const id = await openLine("Problems");
  await card("Result").click();
  await page.locator(".ed-exprrest").first().click();
  await page.waitForFunction(() => document.querySelector(".ed-exprhost")?.shadowRoot?.activeElement != null);
  await key("Control+a");
  await type("=nodes.nobody.output");
  await until("the server finds it", async () => (await draft(id)).issues.some((i) => i.severity === "error"));
  await page.locator(".ed-publish").click();
  await page.locator(".ed-dlg", { hasText: "has to be put right first" }).waitFor();
  await page.locator(".ed-dlg footer .btn.pri").click();
  await page.locator(".ed-jump").first().click();
  await until("the field has the focus", () => page.evaluate(() => document.activeElement?.closest('[data-field="/config/value"]') !== null));
});

test("a way into a dead end is shown step by step, and one button mends it", async () => {
  const node = (id, kind, config = {}, more = {}) => ({ id, key: id, kind, config, ...more });
  const edge = ([from, port, to], i) => ({ id: `e${i}`, from, port, to });
  const graph = {
    signalbox: 1,
    nodes: [
      node("start", "manual"),
      node("check", "if", { condition: "input.n > 3" }),
      node("a", "set", { fields: { n: 1 } }),
      node("b", "set", { fields: { n: 2 } }),
      node("meet", "output", {}, { join: { mode: "all" } }),
    ],
    edges: [
      ["start", "success", "check"],
      ["check", "true", "a"],
      ["check", "false", "b"],
      ["a", "success", "meet"],
      ["b", "success", "meet"],
    ].map(edge),
    layout: { nodes: { start: { x: 0, y: 0 }, check: { x: 280, y: 0 }, a: { x: 600, y: -120 }, b: { x: 600, y: 120 }, meet: { x: 900, y: 0 } } },
  };
  const { id } = await call("/api/workflows", { name: "Stuck", graph });
  await show(id);
  await page.locator(".ed-rail button").nth(3).click();
  await page.locator(".ed-problem .btn", { hasText: "Show" }).first().click();
  const next = page.locator(".ed-example .btn", { hasText: "Next" });
  while (await next.isEnabled()) await next.click();
  await page.locator(".ed-examplewhy").waitFor();
  // By keyboard alone: to the button that mends, and back from where it was.
  await page.locator(".ed-problems").focus();
  const mend = await page.locator(".ed-problem.error .btn").last().innerText();
  const focused = () => page.evaluate(() => document.activeElement?.innerText ?? "");
  for (let i = 0; i < 12 && (await focused()) !== mend; i += 1) await key("Tab");
  await key("Enter");
  await page.locator(".ed-allgood").waitFor();
  await page.locator(".ed-example").waitFor({ state: "detached" }); // it holds no longer
  const meet = (d) => d.graph.nodes.find((n) => n.id === "meet");
  assert.equal(meet(await draft(id)).join?.mode, "inclusive");
  await until("the focus stays in the list", () => page.evaluate(() => document.activeElement?.className === "ed-problems"));
  await key("Control+z");
  await until("the mending is undone as one", async () => meet(await draft(id)).join?.mode === "all");
});

test("a wire let go over empty ground asks what comes next", async () => {
  const id = await openLine("Wire");
  await card("Result").click();
  const box = await card("Result").boundingBox();
  const at = { x: box.x + box.width, y: box.y + box.height / 2 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - 60, at.y + 150, { steps: 6 });
  await page.mouse.up();
  await page.locator(".ed-quick input:focus").waitFor();
  await type("wait");
  await page.locator(".ed-quick li", { hasText: "Wait" }).first().waitFor();
  await key("Enter");
  await until("it is there and connected", async () => {
    const { graph } = await draft(id);
    const wait = graph.nodes.find((n) => n.kind === "wait");
    return wait !== undefined && graph.edges.some((e) => e.from === "result" && e.to === wait.id);
  });
  assert.match(await page.locator(".ed-titlefield").inputValue(), /Wait/, "its settings are open");
});

test("what is published already, and without the server, says why it is not published", async () => {
  const id = await openLine("Nothing new");
  const publish = page.locator(".ed-publish");
  const dialog = page.locator(".ed-dlg");
  const go = dialog.locator("footer .btn.pri");
  await publish.click();
  await dialog.waitFor();
  await context.setOffline(true);
  await dialog.locator(".note", { hasText: "Your draft is kept here" }).waitFor();
  assert.ok(await go.isDisabled());
  assert.deepEqual(await axe(page), [], "offline");
  await context.setOffline(false);
  await dialog.locator(".note", { hasText: "Your draft is kept here" }).waitFor({ state: "detached" });
  await dialog.locator("footer .btn.pri:enabled").click();
  await page.locator('.ed-publish[aria-disabled="true"]').focus();
  await key("Enter");
  await page.locator(".toast", { hasText: "Same as version 1" }).waitFor();
  assert.equal(await dialog.count(), 0);
  assert.equal((await call(`/api/workflows/${id}/versions`)).versions.length, 1);
  await card("Set fields").click();
  await page.locator(".ed-titlefield").fill("New");
  await key("Enter");
  await page.locator('.ed-publish[aria-disabled="false"]').waitFor();
});

test("an old version can be looked at and not changed", async () => {
  const id = await openLine("Versions");
  const { seq } = await draft(id);
  const { version } = await call(`/api/workflows/${id}/publish`, { seq });
  await page.goto(`${program.origin}/w/${id}?version=${version.id}`);
  await page.locator(".ed-banner", { hasText: "version 1" }).waitFor();
  await card("Set fields").click();
  await key("Delete");
  assert.equal(await page.locator(".ed-titlefield").getAttribute("readonly"), "");
  assert.ok(await card("Set fields").isVisible());
  assert.ok(await page.locator(".ed-publish").isDisabled());
});

test("on a narrow screen the inspector is a sheet, on a small one nothing is edited", async () => {
  await openLine("Narrow");
  const zoom = page.locator(".ed-zoom button").nth(1);
  await zoom.click();
  await page.waitForFunction(() => /"z":1,.*"w":1440/.test(Object.entries(localStorage).find(([k]) => k === `sb-camera:${location.pathname.split("/").at(-1)}`)?.[1]));
  await page.setViewportSize({ width: 1000, height: 760 });
  await page.reload();
  await says(zoom, /^69%$/); // the same part of the drawing, smaller
  await card("Result").dblclick();
  await page.locator(".ed-closesheet").click();
  await page.locator(".ed-closesheet").waitFor({ state: "detached" });
  await page.setViewportSize({ width: 600, height: 760 });
  await page.locator('.ed-dock button[aria-label^="Add"]').waitFor({ state: "detached" });
  assert.ok(await page.locator(".ed-publish").isHidden());
  // What is not edited can still be tried out.
  await page.locator(".ed-test").click();
  await page.getByText("JSON, for this run alone.").waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Succeeded").first().waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

for (const theme of ["light", "dark"]) {
  const check = async (what) => assert.deepEqual(await axe(page, { colors: theme === "dark" }), [], what);
  test(`no accessibility violations, ${theme}`, async () => {
    await context.addCookies([{ name: "theme", value: theme, url: program.origin }]);
    await openLine(`Accessible ${theme}`);
    await check("workflow");
    await card("Set fields").click();
    await page.locator(".ed-insphead input").waitFor();
    await check("step");
    for (const tab of ["Data", "Retries", "Notes"]) {
      await page.locator('[role="tab"]', { hasText: tab }).click();
      await check(tab);
    }
    await page.locator(".k-root").focus();
    await key("a");
    await page.locator(".ed-quick li").first().waitFor();
    await check("quick add");
    await key("Escape");
    for (const [button, panel] of [[1, "outline"], [2, "find"], [3, "problems"]]) {
      await page.locator(".ed-rail button").nth(button).click();
      await page.locator(".ed-panel").waitFor();
      await check(panel);
    }
    for (const [combo, what] of [["Control+k", "palette"], ["Control+Enter", "test run"]]) {
      await key(combo);
      await page.locator(".ed-dlg").waitFor();
      await check(what);
      await key("Escape");
      await page.locator(".ed-dlg").waitFor({ state: "detached" });
    }
    for (const [button, content] of [[".ed-share", "[data-sharing]"], [".ed-publish", ".ed-dlg"]]) {
      await page.locator(button).click();
      await page.locator(content).waitFor();
      await check(button);
      await key("Escape");
      await page.locator(content).waitFor({ state: "detached" });
    }
  });
}

test("no page did what the policy forbids", () => {
  assert.deepEqual(faults.filter((f) => !/net::ERR_(FAILED|INTERNET_DISCONNECTED)/.test(f)), []);
});
