// Runs: one fails and says why, is tried again, goes on with other data.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, says, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;
let workflow;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
  const made = await api("POST", "/api/workflows", { name: "Refunds", graph });
  assert.equal(made.status < 300, true, JSON.stringify(made.body));
  workflow = made.body.id ?? made.body.workflow?.id;
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const node = (id, kind, config, more = {}) => ({ id, key: id, kind, config, ...more });
const edge = (from, to, port = "success") => ({ id: `${from}-${port}-${to}`, from, port, to });
const place = (x, y, title) => ({ x, y, title });

const graph = {
  signalbox: 1,
  name: "Refunds",
  nodes: [
    node("start", "manual", {}),
    node("look_up", "mock", { answer: { amount: "=input.amount" } }),
    node("charge", "mock", { fail_times: "=trigger.fails", error_class: "invalid_input", error_message: "The amount is not a number.", answer: { paid: "=input.amount" } }, { retry: { max_attempts: 1 } }),
    node("answer", "output", { value: "=input.paid" }),
  ],
  edges: [edge("start", "look_up"), edge("look_up", "charge"), edge("charge", "answer")],
  layout: { nodes: { start: place(0, 0, "Start"), look_up: place(280, 0, "Look up"), charge: place(560, 0, "Charge back"), answer: place(840, 0, "Answer") } },
};

const api = async (method, path, body) =>
  page.evaluate(
    async ([m, p, b]) => {
      const r = await fetch(p, { method: m, ...(b === null ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(b) }) });
      return { status: r.status, body: await r.json() };
    },
    [method, path, body ?? null],
  );

async function run(input) {
  const { status, body } = await api("POST", `/api/workflows/${workflow}/runs`, { version: "draft", input });
  assert.equal(status, 202, JSON.stringify(body));
  return body.run.id;
}

const open = (id) => page.goto(`${program.origin}/runs/${id}`);
const chip = (word) => page.locator(".run-top .chip", { hasText: word }).waitFor();

test("a run that failed says why: the step, the words, the values, the way, the ways on", async () => {
  await open(await run({ fails: 1, amount: 12 }));
  await chip("Failed");
  const why = page.locator(".why");
  await why.waitFor();
  await says(why, /“Charge back” failed/);
  await says(why, /The amount is not a number\./);
  await why.getByText("input.amount").waitFor();
  await says(why.locator(".why-values"), /12/);
  await says(why.locator(".why-way"), /Look up/);
  assert.deepEqual(await axe(page), [], "axe");
  await why.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Why it failed" }).click();
  await why.waitFor();
});

test("the event that failed is opened by keyboard alone", async () => {
  await open(await run({ fails: 1, amount: 12 }));
  await chip("Failed");
  await page.locator(".log-scroll").focus();
  const line = () => page.evaluate(() => document.activeElement?.closest(".ev-line")?.textContent ?? "");
  for (let i = 0; i < 20 && !/Charge back/.test(await failedLine(line)); i += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const detail = page.locator(".ev-detail");
  await says(detail, /The amount is not a number\./);
  assert.match(await line(), /Charge back/, "the focus stays on the row");
  await page.keyboard.press("Enter");
  await detail.waitFor({ state: "detached" });
});

/** The words of the focused row when it tells of a failure. */
async function failedLine(line) {
  const text = await line();
  return /failed/i.test(text) ? text : "";
}

test("retry starts a new run that shares what was done, linked both ways", async () => {
  const first = await run({ fails: 1, amount: 1 });
  await open(first);
  await page.locator(".run-top").getByRole("button", { name: "Retry from failed step" }).click();
  await page.waitForURL((u) => u.pathname.startsWith("/runs/") && !u.pathname.endsWith(first));
  const second = new URL(page.url()).pathname.split("/").at(-1);
  await chip("Failed"); // the mock fails the first attempt of every run
  await page.getByText(/Forked from run/).waitFor();
  const old = (await api("GET", `/api/runs/${first}/events`)).body.events;
  const now = (await api("GET", `/api/runs/${second}/events`)).body.events;
  const cut = old.findIndex((e) => e.type === "TaskFailed");
  assert.deepEqual(now.slice(0, cut), old.slice(0, cut));
  await page.getByText(/Forked from run/).click();
  await page.waitForURL(`**/runs/${first}`);
  await page.getByText("1 run goes on from this one").click();
  await page.locator(".lineage nav a").click();
  await page.waitForURL(`**/runs/${second}`);
});

test("a fork with edited input goes on with it", async () => {
  const first = await run({ fails: 1, amount: 5 });
  await open(first);
  await chip("Failed");
  await page.locator(".log .ev").first().getByRole("button").first().click();
  await page.locator(".ev-detail").getByRole("button", { name: "Fork here" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel(/^Its output/);
  await field.waitFor();
  assert.deepEqual(await axe(page), [], "axe with the dialog open");
  await field.fill("{ not json");
  await dialog.getByRole("button", { name: "Start the new run" }).click();
  await dialog.getByText("This is not valid JSON.").waitFor();
  await field.fill('{"fails": 0, "amount": 7}');
  await dialog.getByRole("button", { name: "Start the new run" }).click();
  await page.waitForURL((u) => u.pathname.startsWith("/runs/") && !u.pathname.endsWith(first));
  await chip("Succeeded");
  const second = new URL(page.url()).pathname.split("/").at(-1);
  assert.equal((await api("GET", `/api/runs/${second}`)).body.result, 7);
});

test("a chosen step shows its input, output and cause at the moment that is shown", async () => {
  await open(await run({ fails: 0, amount: 3 }));
  await chip("Succeeded");
  await page.locator(".tl-names button", { hasText: "Charge back" }).click();
  const side = page.locator(".side");
  await side.getByRole("heading", { name: "Charge back" }).waitFor();
  await side.getByText('"paid": 3').first().waitFor();
  await says(side, /Look up\s*Work done/);
  assert.deepEqual(await axe(page), [], "axe");
  // One event back from the end, and on to the moment at which it was queued.
  await page.locator(".log-scroll").focus();
  for (let i = 0; i < 9 && !/Queued/.test(await side.locator(".side-state").innerText()); i += 1) await page.keyboard.press(",");
  await says(side.locator(".side-state"), /Queued/);
  assert.equal(await side.getByRole("heading", { name: "Output" }).count(), 0, "no output yet");
  await page.getByText(/^Viewing/).waitFor();
  await page.keyboard.press("l");
  await page.getByText(/^Viewing/).waitFor({ state: "detached" });
});

test("a person answers a step that waits, holds the run and lets it go on", async () => {
  const { body } = await api("POST", "/api/workflows", {
    name: "Refund",
    graph: {
      signalbox: 1,
      name: "Refund",
      nodes: [
        node("start", "manual", {}),
        node("ask", "human", { title: "Refund {{ input.amount }}?", decisions: [{ port: "yes", title: "Pay it back" }, { port: "no", title: "Refuse" }], fields: [{ name: "note", title: "Note" }] }),
        node("paid", "output", { value: "=input.note" }),
      ],
      edges: [edge("start", "ask"), edge("ask", "paid", "yes")],
      layout: { nodes: { start: place(0, 0, "Start"), ask: place(280, 0, "Ask"), paid: place(560, 0, "Paid") } },
    },
  });
  const started = await api("POST", `/api/workflows/${body.id ?? body.workflow?.id}/runs`, { version: "draft", input: { amount: 12 } });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  await open(started.body.run.id);
  const question = page.getByRole("region", { name: "Refund 12?" });
  await question.waitFor();
  assert.deepEqual(await axe(page), [], "axe");
  await page.getByRole("button", { name: "Pause" }).click();
  await chip("Paused");
  await question.getByLabel("Note").fill("with regards");
  await question.getByRole("button", { name: "Pay it back" }).click();
  await question.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Resume" }).click();
  await chip("Succeeded");
  const { body: done } = await api("GET", `/api/runs/${started.body.run.id}`);
  assert.match(JSON.stringify(done), /with regards/);
});

test("a map counts its items on the canvas, lists them, and the timeline is a table too", async () => {
  const inside = (id, kind, config) => node(id, kind, config, { in: "each" });
  const { body } = await api("POST", "/api/workflows", {
    name: "Items",
    graph: {
      signalbox: 1,
      name: "Items",
      nodes: [node("start", "manual", {}), node("each", "map", { items: "=input.items", concurrency: 2, on_item_error: "collect" }), inside("check", "mock", { fail_times: "=item == 2 ? 1 : 0", error_class: "invalid_input", answer: "=item" }), inside("keep", "transform", { expression: "input * 10" })],
      edges: [edge("start", "each"), edge("check", "keep")],
      layout: { nodes: { start: place(0, 60, "Start"), each: { ...place(280, 0, "For each order"), w: 640, h: 220 }, check: place(320, 70, "Check"), keep: place(620, 70, "Keep") } },
    },
  });
  const wf = body.id ?? body.workflow?.id;
  const started = await api("POST", `/api/workflows/${wf}/runs`, { version: "draft", input: { items: [1, 2, 3, 4] } });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  await open(started.body.run.id);
  await chip("Succeeded");
  await page.locator(".tl-names button", { hasText: "For each order" }).click();
  const side = page.locator(".side");
  await side.getByRole("heading", { name: "3 / 4 · 1 failed" }).waitFor();
  assert.equal(await side.locator(".side-bodies li").count(), 4);
  await side.getByRole("region", { name: "Output" }).getByText("30").waitFor();
  await says(side.getByRole("region", { name: "Output" }), /10,[\s\S]*invalid_input[\s\S]*30,\s*40/);
  assert.deepEqual(await axe(page), [], "axe");
  await side.getByRole("button", { name: "No. 2: failed" }).click();
  await page.getByText(/^Viewing/).waitFor();
  await page.keyboard.press("l");
  await page.keyboard.press("t");
  const table = page.locator(".tl-table");
  await table.waitFor();
  assert.equal(await table.locator("tbody tr", { hasText: "Check" }).count(), 4);
  assert.equal(await table.locator("tbody tr", { hasText: "For each order" }).count(), 1);
  assert.deepEqual(await axe(page), [], "axe with the table");
  await page.screenshot({ path: process.env.SHOT ?? "/dev/null", type: "png" });
  await page.keyboard.press("t");
});

test("the switches of the timeline keep away from its axis", async () => {
  await open(await run({ fails: 0, amount: 3 }));
  await chip("Succeeded");
  const switches = page.locator(".toggles button");
  await switches.first().waitFor();
  const off = page.locator('.toggles [aria-pressed="false"]');
  const were = await off.allInnerTexts();
  while ((await off.count()) > 0) await off.first().click(); // pressed, their words are wider
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    const last = await switches.last().boundingBox();
    const axis = await page.locator(".axis-marks").boundingBox();
    assert.ok(last.x + last.width + 6 <= axis.x, `${width} wide: the last switch ends at ${last.x + last.width}, the axis begins at ${axis.x}`);
    for (let i = 0; i < (await switches.count()); i += 1) assert.equal((await switches.nth(i).boundingBox()).y, last.y, "in one row");
    await shot(`switches-${width}`);
  }
  for (const word of were) await page.locator(".toggles").getByRole("button", { name: word }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("what people wrote on a line stands on it, and covers no card", async () => {
  const { body } = await api("POST", "/api/workflows", {
    name: "Labels",
    graph: {
      ...graph,
      edges: graph.edges.map((e) => ({ ...e, label: { start: "an order", look_up: "found in the books", charge: "paid back in full" }[e.from] })),
      layout: { nodes: { ...graph.layout.nodes, start: place(-140, 0, "Start"), charge: place(560, 220, "Charge back"), answer: place(840, 220, "Answer") } },
    },
  });
  const started = await api("POST", `/api/workflows/${body.id}/runs`, { version: "draft", input: { fails: 0, amount: 3 } });
  await open(started.body.run.id);
  await chip("Succeeded");
  const pills = page.locator(".stage .pill");
  await pills.nth(2).waitFor();
  const words = (await pills.locator("text").allTextContents()).sort();
  assert.deepEqual(words.slice(0, 2), ["an order", "found in the books"]);
  assert.match(words[2], /^pai.*…$/, "as much of it as there is room for");
  const boxes = (found) => found.evaluateAll((list) => list.map((it) => it.getBoundingClientRect().toJSON()));
  const cards = await boxes(page.locator(".stage .n .box"));
  assert.equal(cards.length, 4);
  for (const p of await boxes(pills)) {
    for (const c of cards) assert.ok(p.right <= c.left || p.left >= c.right || p.bottom <= c.top || p.top >= c.bottom, `${JSON.stringify(p)} covers ${JSON.stringify(c)}`);
  }
  await shot("run-labels");
});

test("from afar titles are whole and can be read; two fingers zoom; the axis keeps its words", async () => {
  await page.setViewportSize({ width: 800, height: 900 });
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const zoomed = () => page.locator(".stage-svg > g").evaluate((g) => g.getCTM().a);
  try {
    const { body } = await api("POST", "/api/workflows", { name: "Wide", graph: { ...graph, layout: { nodes: { ...graph.layout.nodes, look_up: place(280, 0, "Look up the order"), answer: place(1240, 0, "退款结果告诉客户本人") } } } });
    const started = await api("POST", `/api/workflows/${body.id}/runs`, { version: "draft", input: { fails: 0, amount: 3 } });
    await open(started.body.run.id);
    await chip("Succeeded");
    await page.locator('.stage-svg[data-from="2"]').waitFor();
    const titles = page.locator(".stage .title");
    const lines = await titles.evaluateAll((list) => list.map((it) => [...it.children].map((line) => line.textContent)));
    assert.deepEqual(lines.map((of) => of.join(/^\p{ASCII}/u.test(of[0]) ? " " : "")), ["Start", "Look up the order", "Charge back", "退款结果告诉客户本人"]);
    assert.deepEqual(lines.map((of) => of.length), [1, 2, 2, 2]);
    const before = await zoomed();
    assert.ok(20 * before >= 9, `titles are ${20 * before} px high`);
    for (const gone of await page.locator(".stage .sub").all()) assert.equal(await gone.isVisible(), false);
    const axis = await page.locator(".axis-marks").boundingBox();
    for (const word of await page.locator(".axis-marks span").all()) {
      const box = await word.boundingBox();
      assert.ok(box.x >= axis.x - 1 && box.x + box.width <= axis.x + axis.width + 1, `${await word.innerText()} is cut off`);
    }
    await shot("run-afar");
    await touch("touchStart", [300, 300], [400, 300]);
    await touch("touchMove", [200, 300], [500, 300]);
    await touch("touchEnd");
    const after = await zoomed();
    assert.ok(Math.abs(after / before - 3) < 0.05, `${after / before} times as large, fingers 3 times as far apart`);
    await page.locator('.stage-svg[data-from="0"]').waitFor();
    assert.equal(await titles.nth(2).textContent(), "Charge back");
  } finally {
    await cdp.detach();
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});

/** Pictures in both themes, for people to look at. */
async function shot(name) {
  if (!process.env.SHOTS) return;
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

test("two runs side by side: way, data and time, on the canvas and in a table", async () => {
  const failed = await run({ fails: 1, amount: 5 });
  const good = await run({ fails: 0, amount: 6 });
  await open(failed);
  await chip("Failed");
  await page.getByRole("button", { name: "Compare with another run" }).click();
  await page.locator(".compare-list a").first().waitFor();
  assert.deepEqual(await axe(page), [], "axe with the dialog open");
  await page.locator(`.compare-list a[href$="${good}"]`).click();
  await page.getByRole("heading", { name: "Two runs side by side" }).waitFor();
  const table = page.locator(".compare-table");
  await table.getByText("4 of 4 visits differ").waitFor();
  const charge = table.locator("tbody tr", { hasText: "Charge back" });
  await says(charge, /A: Failed · invalid_input · B: Done/);
  await says(table.locator("tbody tr", { hasText: "Answer" }), /A: Not visited · B: Done/);
  await table.getByRole("button", { name: "Look up" }).click();
  await table.getByRole("region", { name: "Value in run A" }).getByText('"amount": 5').waitFor();
  await table.getByRole("region", { name: "Value in run B" }).getByText('"amount": 6').waitFor();
  await page.locator(".stage").getByText("Other data").first().waitFor();
  assert.deepEqual(await axe(page), [], "axe");
  await page.screenshot({ path: process.env.SHOT2 ?? "/dev/null", type: "png" });
});

test("a log of 100,000 events: only rows in view are in the page, and memory is bounded", async () => {
  const id = await run({ fails: 0, amount: 1 });
  await chip("Succeeded");
  const total = 100_000;
  await page.route(`**/api/runs/${id}/events?*`, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get("after"));
    const events = [];
    for (let seq = after + 1; seq <= Math.min(total, after + 1_000); seq += 1) {
      const at = 1_764_500_000_000 + seq;
      if (seq === 1) events.push({ seq, at, type: "RunStarted", trigger: "start", port: "success", visit: 1 });
      else if (seq === total) events.push({ seq, at, type: "RunSucceeded" });
      else events.push({ seq, at, type: seq % 2 === 0 ? "TaskScheduled" : "TaskCompleted", node: "charge", visit: seq >> 1, attempt: 1, ...(seq % 2 === 0 ? { queue: "default" } : { port: "success", began: at - 1 }) });
    }
    return route.fulfill({ json: { events, last: events.at(-1)?.seq ?? after } });
  });
  await open(id);
  await page.locator(".log header .chip", { hasText: total.toLocaleString("en") }).waitFor({ timeout: 60_000 });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const heap = (await cdp.send("Runtime.getHeapUsage")).usedSize / 1e6;
  const rows = () => page.locator(".log .ev").count();
  assert.ok((await rows()) > 5 && (await rows()) < 80, `${await rows()} rows in the page`);
  for (const share of [0, 0.5, 0.9]) {
    await page.locator(".log-scroll").evaluate((box, s) => box.scrollTo({ top: box.scrollHeight * s }), share);
    await page.waitForFunction((s) => {
      const first = document.querySelector(".log .ev");
      return first !== null && Math.abs(document.querySelector(".log-scroll").scrollTop / document.querySelector(".log-scroll").scrollHeight - s) < 0.05;
    }, share);
    assert.ok((await rows()) < 80, `${await rows()} rows in the page`);
  }
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes < 2_000, `${nodes} elements in the page`);
  assert.ok(heap < 150, `${heap.toFixed(1)} MB of heap`);
  console.log(`100,000 events: ${await rows()} rows, ${nodes} elements, ${heap.toFixed(1)} MB of heap`);
  await page.locator(".log-scroll").focus();
  const began = Date.now();
  await page.keyboard.press(",");
  await page.getByText(/event 99,999 of 100,000|event 99999 of 100000/).waitFor();
  console.log(`one event back: ${Date.now() - began} ms`);
  await page.unroute(`**/api/runs/${id}/events?*`);
});

test("no page broke its policy or threw", () => {
  assert.deepEqual(faults, []);
});
