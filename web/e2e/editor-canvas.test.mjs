// What hands do on the canvas of the real editor, and what versions differ in:
// lines split, led elsewhere and copied past, proofs played, versions compared.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let faults;
let page;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
});

after(async () => {
  await browser?.close();
  await program?.stop();
});

const call = (path, body, into = page) =>
  into.evaluate(
    async ([p, b]) => {
      const post = { method: "POST", headers: { "Content-Type": "application/json" } };
      const r = await fetch(p, b === null ? {} : { ...post, body: JSON.stringify(b) });
      return r.json();
    },
    [path, body ?? null],
  );

const node = (id, kind, config = {}, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = ([from, port, to]) => ({ id: `${from}-${to}`, from, port, to });

/** A workflow of these steps and lines, opened in the editor. */
async function openGraph(name, nodes, edges, places) {
  const layout = { nodes: Object.fromEntries(Object.entries(places).map(([id, [x, y]]) => [id, { x, y }])) };
  const graph = { signalbox: 1, nodes, edges: edges.map(edge), layout };
  const { id } = await call("/api/workflows", { name, graph });
  await show(id);
  return id;
}

/** Three steps in a row and one that stands alone below. */
const row = (name) =>
  openGraph(
    name,
    [node("start", "manual"), node("facts", "set", { fields: { n: 1 } }), node("result", "output"), node("lone", "set", { fields: { n: 2 } })],
    [["start", "success", "facts"], ["facts", "success", "result"]],
    { start: [0, 0], facts: [400, 0], result: [900, 0], lone: [400, 240] },
  );

async function show(id, query = "") {
  await page.goto(`${program.origin}/w/${id}${query}`);
  await page.locator(".k-card").first().waitFor();
  await page.locator(".ed-dock").waitFor();
}

const draft = async (id) => (await call(`/api/workflows/${id}/draft`)).graph;
const links = async (id) => (await draft(id)).edges.map((e) => `${e.from} ${e.to}`).sort();
const key = (name) => page.keyboard.press(name);
const box = (id, into = page) => into.locator(`.k-card[data-id="${id}"]`).boundingBox();

async function until(what, ask) {
  for (let i = 0; i < 100; i += 1) {
    if (await ask()) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`never came true: ${what}`);
}

async function drag(from, to, { hold = async () => {}, alt = false } = {}) {
  await page.mouse.move(from.x, from.y);
  if (alt) await page.keyboard.down("Alt");
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await hold();
  await page.mouse.up();
  if (alt) await page.keyboard.up("Alt");
}

const grip = (b) => ({ x: b.x + b.width / 2, y: b.y + 12 });

test("a step laid on a line goes into it, and one undo takes it out again", async () => {
  const id = await row("Insert");
  const lone = await box("lone");
  const [a, b] = [await box("facts"), await box("result")];
  const z = lone.width / 208;
  // The step's entry lies at 28 below its top: that is where the line runs.
  const to = { x: (a.x + a.width + b.x) / 2, y: a.y + 12 * z + 2 };
  await drag(grip(lone), to, {
    // It has to rest there for a while: letting a step fly past is no wish.
    hold: () => page.waitForTimeout(350),
  });
  await until("the line leads through it", async () =>
    JSON.stringify(await links(id)) === JSON.stringify(["facts lone", "lone result", "start facts"]));
  await key("Control+z");
  await until("it stands alone again", async () =>
    JSON.stringify(await links(id)) === JSON.stringify(["facts result", "start facts"]));
  const { layout } = await draft(id);
  assert.deepEqual([layout.nodes.lone.x, layout.nodes.lone.y], [400, 240]);
});

test("the plus on a line adds a step into it", async () => {
  const id = await row("Plus");
  const [a, b] = [await box("facts"), await box("result")];
  const z = a.width / 208;
  await page.mouse.move((a.x + a.width + b.x) / 2, a.y + 28 * z);
  await page.locator(".k-between").click();
  await page.locator(".ed-quick input:focus").waitFor();
  await page.keyboard.type("wait", { delay: 5 });
  await key("Enter");
  await until("three lines", async () => (await draft(id)).edges.length === 3);
  const { nodes, edges } = await draft(id);
  const wait = nodes.find((n) => n.kind === "wait");
  assert.ok(edges.some((e) => e.from === "facts" && e.to === wait.id));
  assert.ok(edges.some((e) => e.from === wait.id && e.to === "result"));
});

test("the end of a line is led to another step", async () => {
  const id = await row("Lead");
  const [lone, result] = [await box("lone"), await box("result")];
  const z = lone.width / 208;
  await drag({ x: result.x - 19 * z, y: result.y + 28 * z }, { x: lone.x + 40, y: lone.y + 30 * z });
  await until("it ends at the other", async () =>
    JSON.stringify(await links(id)) === JSON.stringify(["facts lone", "start facts"]));
  assert.ok((await draft(id)).edges.some((e) => e.id === "facts-result"), "it is the same line");
});

test("a line carries a label, and resting on it shows what passed", async () => {
  const id = await row("Label");
  const [a, b] = [await box("facts"), await box("result")];
  const on = { x: a.x + a.width + (b.x - a.x - a.width) / 4, y: a.y + (28 * a.width) / 208 };
  await page.mouse.move(on.x, on.y);
  await page.locator(".ed-peek", { hasText: "Nothing has passed here yet" }).waitFor();
  await page.mouse.click(on.x, on.y);
  await page.locator('.ed-selbar button[aria-label="Write a label"]').click();
  await page.locator("#ed-edgelabel:focus").waitFor();
  await page.keyboard.type("paid ones", { delay: 5 });
  const label = async () => (await draft(id)).edges.find((e) => e.id === "facts-result").label;
  await until("the line has its label", async () => (await label()) === "paid ones");
  assert.deepEqual(await axe(page), []);
  await key("Escape");
  await key("Control+z");
  await until("one undo takes it away", async () => (await label()) === undefined);
  await page.locator('.ed-selbar button[aria-label="Put a condition here"]').click();
  await until("a step that asks stands in the line", async () =>
    (await draft(id)).nodes.some((n) => n.kind === "if"));
});

test("Alt-drag leaves the step and drags a copy", async () => {
  const id = await row("Copy");
  const lone = await box("lone");
  await drag(grip(lone), { x: lone.x + lone.width / 2, y: lone.y + 150 }, { alt: true });
  await until("there are two", async () => (await draft(id)).nodes.length === 5);
  const { layout, nodes } = await draft(id);
  assert.deepEqual([layout.nodes.lone.x, layout.nodes.lone.y], [400, 240]);
  const copy = nodes.find((n) => !["start", "facts", "result", "lone"].includes(n.id));
  assert.deepEqual(copy.config, { fields: { n: 2 } });
  assert.ok(layout.nodes[copy.id].y > 240);
});

const stuck = () =>
  openGraph(
    "Stuck",
    [
      node("start", "manual"),
      node("check", "if", { condition: "input.n > 3" }),
      node("a", "set", { fields: { n: 1 } }),
      node("b", "set", { fields: { n: 2 } }),
      node("meet", "output", {}, { join: { mode: "all" } }),
    ],
    [["start", "success", "check"], ["check", "true", "a"], ["check", "false", "b"], ["a", "success", "meet"], ["b", "success", "meet"]],
    { start: [0, 0], check: [280, 0], a: [600, -120], b: [600, 120], meet: [900, 0] },
  );

test("a counter-example is played choice by choice, each of them named", async () => {
  await stuck();
  await page.locator(".ed-rail button").nth(3).click();
  await page.locator(".ed-problem .btn", { hasText: "Show" }).first().click();
  const list = page.locator(".ed-example ol li");
  await list.first().waitFor();
  const words = await list.allInnerTexts();
  assert.ok(words.length >= 3, words.join());
  assert.match(words.join(), /takes/);
  await page.locator(".ed-example .btn", { hasText: "Play" }).click();
  await page.locator(".ed-examplewhy").waitFor();
  await page.locator('.k-card[data-id="meet"].st-failed').waitFor();
  await list.nth(1).locator("button").click();
  await page.locator('.k-card[data-id="meet"].st-failed').waitFor({ state: "detached" });
  assert.deepEqual(await axe(page), []);
  await page.locator(".ed-example header .btn").click();
  await page.locator('.k-card.st-done').first().waitFor({ state: "detached" });
});

test("how a step waits is chosen from pictures", async () => {
  const id = await stuck();
  await page.locator('.k-card[data-id="meet"]').click();
  await page.locator('.ed-joinmode', { hasText: "Start after some" }).click();
  await until("so many ways", async () => (await draft(id)).nodes.find((n) => n.id === "meet").join?.mode === "n");
  await page.locator('.ed-join .seg label', { hasText: "canceled" }).click();
  await until("the others are canceled", async () => (await draft(id)).nodes.find((n) => n.id === "meet").join?.then === "cancel");
  assert.deepEqual((await draft(id)).nodes.find((n) => n.id === "meet").join, { mode: "n", n: 2, then: "cancel" });
  await page.locator('.ed-joinmode', { hasText: "Wait for what still comes" }).click();
  await until("no rule is kept", async () => (await draft(id)).nodes.find((n) => n.id === "meet").join === undefined);
  assert.deepEqual(await axe(page), []);
});

test("a condition is put together from parts, without writing it", async () => {
  const id = await stuck();
  const condition = async () => (await draft(id)).nodes.find((n) => n.id === "check").config.condition;
  await page.locator('.k-card[data-id="check"]').click();
  await page.locator(".ed-cond button", { hasText: "Build it from parts" }).click();
  const row = page.locator(".ed-condrow");
  assert.equal(await row.first().locator("input").first().inputValue(), "input.n");
  assert.equal(await row.first().locator("select").inputValue(), ">");
  await row.first().locator("input").nth(1).fill("5");
  await page.locator(".ed-condrows .ed-addrow").click();
  await row.nth(1).locator("input").first().fill("input.kind");
  await row.nth(1).locator("input").nth(1).fill("rush");
  await page.locator(".ed-condrows > select").selectOption("any");
  await until("the expression says it", async () => (await condition()) === 'input.n > 5 || input.kind == "rush"');
  assert.deepEqual(await axe(page), []);
});

test("two versions are compared on the canvas, and an old one becomes the draft", async () => {
  const id = await row("Versions");
  const { seq } = await call(`/api/workflows/${id}/draft`);
  const { version } = await call(`/api/workflows/${id}/publish`, { seq, note: "As it began" });
  await page.locator('.k-card[data-id="lone"]').click();
  await key("Delete");
  await until("it is gone", async () => (await draft(id)).nodes.length === 3);
  await page.locator('.k-card[data-id="facts"]').click();
  await key("F2");
  await page.locator(".ed-title input").fill("Gather");
  await key("Enter");
  await until("it is renamed", async () => (await draft(id)).layout.nodes.facts.title === "Gather");

  await page.goto(`${program.origin}/w/${id}/versions`);
  assert.match(await page.locator(".rows-card").innerText(), /As it began/);
  await page.locator(".btn", { hasText: "Compare" }).first().click();
  await page.locator('.k-card[data-id="lone"].mark-removed').waitFor();
  await page.locator('.k-card[data-id="facts"].mark-changed').waitFor();
  const changes = page.locator(".ed-changes");
  assert.match(await changes.innerText(), /title[\s\S]*Gather/);
  assert.match(await changes.innerText(), /2 differences/);
  assert.match(await changes.innerText(), /Ada · As it began/);
  assert.deepEqual(await axe(page), []);
  await page.locator('.k-card[data-id="facts"]').click();
  await key("Delete");
  assert.ok(await page.locator('.k-card[data-id="facts"]').isVisible(), "nothing is edited here");

  await page.locator(".ed-changes a", { hasText: "Restore" }).click();
  await page.locator(".toast", { hasText: "what version 1 was" }).waitFor();
  await until("the draft is the version", async () => (await draft(id)).nodes.length === 4);
  const back = await draft(id);
  assert.equal(back.layout.nodes.facts.title, undefined);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await until("and one undo takes that back", async () => (await draft(id)).nodes.length === 3);
  assert.ok(version.id);
});

test("a state is kept under a name by Ctrl+S, and the draft becomes it again", async () => {
  const id = await row("Kept");
  await key("Control+s");
  await page.keyboard.type("Before the rework", { delay: 5 });
  assert.deepEqual(await axe(page), []);
  await key("Enter");
  await page.locator(".toast", { hasText: "Kept as" }).waitFor();
  await page.locator('.k-card[data-id="lone"]').click();
  await key("Delete");
  await until("it is gone", async () => (await draft(id)).nodes.length === 3);
  await key("Control+s");
  await page.locator(".ed-kept button", { hasText: "Restore" }).click();
  await until("it is there again", async () => (await draft(id)).nodes.length === 4);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await until("one undo takes that back", async () => (await draft(id)).nodes.length === 3);
  await page.goto(`${program.origin}/w/${id}/versions`);
  await page.locator(".rows-card a", { hasText: "Compare" }).click();
  await page.locator('.k-card[data-id="lone"].mark-removed').waitFor();
});

test("keys are changed and letters switched off, and the wheel zooms or pans", async () => {
  await row("Hands");
  const zoom = () => page.locator(".ed-percent").innerText();
  const was = await zoom();
  await page.locator(".k-root").click({ position: { x: 400, y: 400 } });
  await key("?");
  const tidy = page.locator(".ed-key", { hasText: "Tidy" });
  await tidy.click();
  await key("a");
  await page.locator(".ed-keys .err", { hasText: "used already: Add step" }).waitFor();
  await key("y");
  await page.locator(".ed-key", { hasText: "Tidy: Y" }).waitFor();
  await page.locator(".ed-hands label", { hasText: "Pans" }).click();
  assert.deepEqual(await axe(page), []);
  await key("Escape");
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, 240);
  await page.waitForTimeout(200);
  assert.equal(await zoom(), was, "the wheel pans");
  await page.reload();
  await page.locator(".ed-dock").waitFor();
  await page.locator('.ed-dock button[aria-label="Tidy (Y)"]').waitFor();
  await page.locator(".k-root").click({ position: { x: 400, y: 500 } });
  await key("?");
  await page.locator(".ed-hands .switch").click();
  await key("Escape");
  await key("a");
  await page.waitForTimeout(200);
  assert.equal(await page.locator(".ed-quick").count(), 0);
  await page.locator('.ed-rail button[aria-label^="Keyboard"]').click();
  await page.locator("button", { hasText: "Back to the default keys" }).click();
  await page.locator(".ed-key", { hasText: "Tidy: ⇧T" }).waitFor();
  await page.locator(".ed-hands label", { hasText: "By device" }).click();
});

test("two people see each other, and what the other one does", async () => {
  const id = await row("Together");
  const other = await page.context().newPage();
  await other.goto(`${program.origin}/w/${id}`);
  await other.locator(".k-card").first().waitFor();
  await other.locator(".ed-dock").waitFor();
  const lone = await box("lone", other);
  await other.mouse.move(lone.x - 40, lone.y + 20);
  await other.mouse.move(lone.x - 60, lone.y + 30);
  await other.locator('.k-card[data-id="lone"]').click();
  await page.locator(".k-peer").first().waitFor({ state: "attached" });
  await other.keyboard.press("Delete");
  await page.locator('.k-card[data-id="lone"]').waitFor({ state: "detached" });
  await other.close();
});

test("a field in which somebody types waits for them, and what they have chosen is not deleted unasked", async () => {
  const id = await row("Shared");
  const other = await page.context().newPage();
  await other.goto(`${program.origin}/w/${id}`);
  for (const each of [page, other]) {
    await each.locator('.k-card[data-id="lone"]').click();
    await each.locator(".ed-titlefield").waitFor();
  }
  // Each sees what the other one has chosen.
  await page.locator('.k-peer.ring[data-chosen="lone"]').waitFor({ state: "attached" });
  await page.locator(".ed-others", { hasText: "Ada has this step open too" }).waitFor();
  for (const each of [page, other]) await each.getByRole("tab", { name: "Notes" }).click();
  const notes = (each) => each.getByRole("textbox", { name: /Notes/ });
  await notes(other).pressSequentially("Looks odd", { delay: 5 });
  await page.locator(".ed-typist", { hasText: "Ada is typing here" }).waitFor();
  assert.equal(await notes(page).getAttribute("readonly"), "");
  assert.equal(await notes(other).getAttribute("readonly"), null);
  assert.deepEqual(await axe(page), []);
  // Who leaves the field gives it back.
  await notes(other).blur();
  await page.locator(".ed-typist").waitFor({ state: "detached" });
  assert.equal(await notes(page).inputValue(), "Looks odd");
  assert.equal(await notes(page).getAttribute("readonly"), null);

  await page.locator('.k-card[data-id="lone"]').focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog", { name: "Somebody else is there" });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await page.locator('.k-card[data-id="lone"]').count(), 1);
  await page.locator('.k-card[data-id="lone"]').focus();
  await page.keyboard.press("Delete");
  await dialog.getByRole("button", { name: "Delete all the same" }).click();
  await other.locator('.k-card[data-id="lone"]').waitFor({ state: "detached" });
  await other.close();
});

/** Pastes a text as the clipboard would. */
const paste = (text) =>
  page.evaluate((t) => {
    const data = new DataTransfer();
    data.setData("text/plain", t);
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);

test("a pasted cURL command is an HTTP step, without its secret", async () => {
  const id = await row("Curl");
  await page.locator(".k-root").focus();
  await paste("curl -X PATCH https://api.example.com/orders/7 -H 'Authorization: Bearer s3cret' --json '{\"done\":true}'");
  await page.locator(".toast", { hasText: "authorization was left out" }).waitFor();
  await until("it is there", async () => (await draft(id)).nodes.some((n) => n.kind === "http"));
  const graph = await draft(id);
  const made = graph.nodes.find((n) => n.kind === "http");
  assert.deepEqual(
    [made.config.method, made.config.url, made.config.body, made.config.auth],
    ["PATCH", "https://api.example.com/orders/7", { done: true }, "credential"],
  );
  assert.ok(!JSON.stringify(graph).includes("s3cret"));
});

test("what is pasted into the list of steps is offered, and follows the step it was asked after", async () => {
  const id = await row("Bring");
  await page.locator('.k-card[data-id="lone"]').click();
  await key("a");
  await page.locator(".ed-quick input:focus").waitFor();
  await paste("curl https://api.example.com/orders/7");
  await page.locator(".ed-bring").waitFor();
  assert.deepEqual(await axe(page), []);
  await key("Enter");
  await until("it follows", async () => {
    const { nodes, edges } = await draft(id);
    const made = nodes.find((n) => n.kind === "http");
    return made?.config.url === "https://api.example.com/orders/7" && edges.some((e) => e.from === "lone" && e.to === made.id);
  });
});

test("a workflow file let go over the canvas is added, one pasted into the gallery is a workflow", async () => {
  const id = await row("File");
  const file = JSON.stringify({
    signalbox: 1,
    name: "From a file",
    nodes: [node("one", "set"), node("two", "set")],
    edges: [edge(["one", "success", "two"])],
    layout: { nodes: { one: { x: 0, y: 0 }, two: { x: 300, y: 0 } } },
  });
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "flow.json", { type: "application/json" }));
    const root = document.querySelector(".k-root");
    const at = { clientX: 600, clientY: 600, bubbles: true, cancelable: true, dataTransfer: data };
    root.dispatchEvent(new DragEvent("drop", at));
  }, file);
  await page.locator("dialog.imp [data-import-insert]").click();
  await until("both steps and their line", async () => (await draft(id)).edges.length === 3);
  await page.goto(`${program.origin}/`);
  await page.locator("[data-import]").waitFor();
  await page.waitForLoadState("networkidle");
  await paste(file);
  await page.locator("dialog.imp [data-import-create]").click();
  await page.waitForURL(/\/w\//);
  await page.locator(".k-card").first().waitFor();
  assert.match(await page.title(), /From a file/);
});

test("a step becomes one of another kind and keeps its lines", async () => {
  const id = await row("Replace");
  await page.locator('.k-card[data-id="facts"]').click({ button: "right" });
  await page.locator(".ed-menu button", { hasText: "Replace with" }).click();
  await page.locator(".ed-quick input:focus").waitFor();
  await page.keyboard.type("http", { delay: 5 });
  await key("Enter");
  await until("the kind is another", async () => (await draft(id)).nodes.find((n) => n.id === "facts").kind === "http");
  assert.deepEqual(await links(id), ["facts result", "start facts"]);
});

test("steps become a workflow of their own, and a call stands for them; one undo", async () => {
  const id = await row("Taken out");
  await page.locator('.k-card[data-id="facts"]').click();
  await page.locator('.k-card[data-id="facts"]').click({ button: "right" });
  await page.locator(".ed-menu button", { hasText: "workflow of its own" }).click();
  await page.locator(".toast", { hasText: "is a workflow of its own now" }).waitFor();
  await until("the call stands there", async () => (await draft(id)).nodes.some((n) => n.kind === "call"));
  const { nodes, edges } = await draft(id);
  const made = nodes.find((n) => n.kind === "call");
  assert.deepEqual(edges.map((e) => `${e.from} ${e.to}`).sort(), [`${made.id} result`, `start ${made.id}`].sort());
  const { versions } = await call(`/api/workflows/${made.config.workflow}/versions`);
  assert.equal(versions.length, 1);
  const child = await draft(made.config.workflow);
  assert.deepEqual(child.nodes.map((n) => n.kind).sort(), ["manual", "set"]);
  await page.locator(".k-root").focus();
  await key("Control+z");
  await until("the steps are back", async () => JSON.stringify(await links(id)) === JSON.stringify(["facts result", "start facts"]));
});

test("lines say how many tokens took them in the last run", async () => {
  const id = await openGraph(
    "Traffic",
    [node("start", "manual"), node("each", "map", { items: "=[{'n': 1}, {'n': 2}, {'n': 3}]" }), node("a", "set", { fields: { n: "=item.n * 2" } }, { in: "each" }), node("b", "set", { fields: { n: 2 } }, { in: "each" }), node("result", "output")],
    [["start", "success", "each"], ["a", "success", "b"], ["each", "success", "result"]],
    { start: [0, 0], each: [320, -60], a: [360, 20], b: [760, 20], result: [1160, 0] },
  );
  const { run } = await call(`/api/workflows/${id}/runs`, { version: "draft", input: {} });
  await until("the run is over", async () => (await call(`/api/runs/${run.id}`)).run.status === "succeeded");
  const { last } = await call(`/api/workflows/${id}/samples`);
  assert.equal(last.run, run.id);
  const n = Object.fromEntries(last.ways.map((w) => [`${w.node}.${w.port}`, w.n]));
  assert.deepEqual([n["start.success"], n["a.success"], n["each.success"]], [1, 3, 1]);
  await show(id);
  await page.getByRole("button", { name: "Data on the canvas" }).click();
  await page.locator(".k-card", { hasText: "{" }).first().waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/traffic.png` });
  const [a, b] = [await box("a"), await box("b")];
  await page.mouse.move(a.x + a.width + (b.x - a.x - a.width) / 4, a.y + (28 * a.width) / 208);
  await page.locator(".ed-peek", { hasText: "3 tokens in the last run" }).waitFor();
  await page.mouse.click(a.x + a.width + (b.x - a.x - a.width) / 4, a.y + (28 * a.width) / 208);
  await page.locator(".ed-insp", { hasText: "3 tokens in the last run" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Data on the canvas" }).click();
});

test("no page did what the policy forbids", () => {
  assert.deepEqual(faults.filter((f) => !/net::ERR_FAILED/.test(f)), []);
});
