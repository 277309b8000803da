// Containers on the canvas, in a real browser: into them and out of them by
// hand and by key, moving, stretching, folding, and lines at their borders.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { frames, launch, open, serve } from "./kernel-page.mjs";
import { says } from "./program.mjs";

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  site?.stop();
});

/** Opens the drawing with containers and plays; a fault on the page fails the test. */
async function play(body) {
  const { page, faults } = await open(browser, site.url);
  try {
    await page.evaluate(() => {
      const { kernel, framed, specs } = window.bench;
      kernel.load(framed(), specs);
      kernel.setCamera({ x: 0, y: 0, z: 0.9 });
    });
    await frames(page);
    await body(page);
    assert.deepEqual(faults, []);
  } finally {
    await page.close();
  }
}

const box = (page, id) => page.evaluate((id) => window.bench.kernel.screenBox(id), id);
const world = (page, id) => page.evaluate((id) => window.bench.kernel.worldBox(id), id);
const parent = (page, id) => page.evaluate((id) => window.bench.kernel.drawing.parent(id) ?? "", id);
const place = (page, id) => page.evaluate((id) => window.bench.kernel.drawing.place(id), id);
const selection = (page) => page.evaluate(() => [...window.bench.kernel.selection.nodes].sort());
const edges = (page) => page.evaluate(() => [...window.bench.kernel.drawing.edges.keys()].sort());
const last = (page, type) =>
  page.evaluate((type) => window.bench.events.findLast((e) => e.type === type), type);
const why = (page) => page.evaluate(() => {
  const made = document.querySelector(".k-why");
  return made.hidden ? "" : made.textContent;
});

async function drag(page, from, to, hold) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) {
    await page.mouse.move(from.x + ((to.x - from.x) * i) / 6, from.y + ((to.y - from.y) * i) / 6);
  }
  await frames(page);
  await hold?.();
  await page.mouse.up();
  await frames(page);
}

const head = async (page, id) => {
  const b = await box(page, id);
  return { x: b.x + 120, y: b.y + 20 };
};

test("a frame fits what is in it, and a folded one shows a count and hides its content", () =>
  play(async (page) => {
    const frame = await world(page, "pay");
    const deep = await world(page, "deep");
    assert.equal(frame.x, 360);
    assert.equal(frame.y, 64);
    assert.equal(frame.x + frame.w, deep.x + deep.w + 24);
    assert.equal(await box(page, "hidden"), undefined);
    await says(page.locator('[data-id="folded"]'), /1 step/);
    assert.match(await page.locator('[data-id="pay"]').getAttribute("aria-label"), /4 steps/);
  }));

test("a step dragged into a frame goes in, dragged out it comes out; one proposal each", () =>
  play(async (page) => {
    const deep = await box(page, "deep");
    const from = await head(page, "release");
    await drag(page, from, { x: deep.x + 380, y: deep.y + 150 }, async () => {
      assert.ok(await page.locator('[data-id="deep"].into').count(), "the frame is marked");
      assert.match(await why(page), /1 line would cross/);
    });
    assert.equal(await parent(page, "release"), "deep");
    assert.ok(!(await edges(page)).includes("reserve-release"));
    const again = await head(page, "release");
    await drag(page, again, { x: 200, y: 620 });
    assert.equal(await parent(page, "release"), "");
    assert.equal((await last(page, "move")).into, "");
  }));

test("moving a frame moves what is in it, at any depth", () =>
  play(async (page) => {
    const was = await place(page, "note");
    const from = await head(page, "pay");
    await drag(page, from, { x: from.x + 72, y: from.y + 36 });
    const now = await place(page, "note");
    const move = await last(page, "move");
    assert.deepEqual([now.x - was.x, now.y - was.y], [move.dx, move.dy]);
    assert.ok(move.dx > 60);
    assert.equal(move.into, undefined);
    assert.equal(await parent(page, "note"), "deep");
  }));

test("a frame is stretched by its border, never below its content", () =>
  play(async (page) => {
    const deep = await box(page, "deep");
    const was = await world(page, "deep");
    await drag(page, { x: deep.x + deep.w, y: deep.y + deep.h / 2 }, { x: deep.x + deep.w + 90, y: deep.y + 60 });
    const wide = await world(page, "deep");
    assert.equal(wide.w, was.w + 100);
    assert.equal(wide.h, was.h);
    const right = await box(page, "deep");
    await drag(page, { x: right.x + right.w, y: right.y + right.h }, { x: right.x + 20, y: right.y + 20 });
    const least = await world(page, "deep");
    const note = await world(page, "note");
    assert.equal(least.x + least.w, note.x + note.w + 24);
    assert.equal(least.y + least.h, note.y + note.h + 24);
  }));

test("a frame folds to a card and opens again", () =>
  play(async (page) => {
    await page.locator('[data-id="deep"] .k-fold').click();
    await frames(page);
    assert.equal(await box(page, "note"), undefined);
    assert.equal((await world(page, "deep")).h, 56);
    await page.locator('[data-id="deep"] .k-fold').click();
    await frames(page);
    assert.ok(await box(page, "note"));
  }));

test("where nothing is edited a container still opens", () =>
  play(async (page) => {
    await page.evaluate(() => window.bench.kernel.setReadOnly(true));
    await frames(page);
    await page.locator('[data-id="folded"] .k-fold').click();
    await frames(page);
    assert.ok(await box(page, "hidden"));
    const b = await head(page, "deep");
    await drag(page, b, { x: b.x + 90, y: b.y });
    assert.deepEqual((await place(page, "deep")).x, 384, "and nothing moves");
  }));

test("five frames in each other hold what is in the innermost, and move as one", () =>
  play(async (page) => {
    await page.evaluate(() => {
      const { kernel, specs } = window.bench;
      const nodes = [];
      const layout = {};
      for (let i = 0; i < 5; i++) {
        nodes.push({ id: `g${i}`, key: `g${i}`, kind: "group", ...(i === 0 ? {} : { in: `g${i - 1}` }) });
        layout[`g${i}`] = { x: 0, y: 0 };
      }
      nodes.push({ id: "core", key: "core", kind: "set", in: "g4" }, { id: "free", key: "free", kind: "set" });
      layout.core = { x: 500, y: 480 };
      layout.free = { x: 60, y: 700 };
      kernel.load({ signalbox: 1, nodes, edges: [], layout: { nodes: layout } }, specs);
      kernel.setCamera({ x: 0, y: 0, z: 0.9 });
    });
    await frames(page);
    for (let i = 0; i < 5; i++) {
      const frame = await world(page, `g${i}`);
      assert.deepEqual([frame.x, frame.y], [500 - 24 * (5 - i), 480 - 72 * (5 - i)], `frame ${i}`);
    }
    const outer = await head(page, "g0");
    await drag(page, outer, { x: outer.x + 72, y: outer.y });
    const { dx } = await last(page, "move");
    assert.equal((await place(page, "core")).x, 500 + dx);
    // The innermost frame under the pointer is the one that is taken.
    const inner = await head(page, "g4");
    await page.mouse.click(inner.x, inner.y);
    assert.deepEqual(await selection(page), ["g4"]);
    // From outside into the innermost one and out again, near and from afar.
    for (const z of [0.9, 0.35]) {
      await page.evaluate((z) => window.bench.kernel.setCamera({ x: 40, y: 40, z }), z);
      await frames(page);
      const core = await box(page, "core");
      const free = await box(page, "free");
      const home = { x: free.x + free.w / 2, y: free.y + free.h / 2 };
      await drag(page, home, { x: core.x + core.w / 2, y: core.y + core.h + 8 * z });
      assert.equal(await parent(page, "free"), "g4", `in at ${z}`);
      const inside = await box(page, "free");
      await drag(page, { x: inside.x + inside.w / 2, y: inside.y + inside.h - 8 * z }, home);
      assert.equal(await parent(page, "free"), "", `out at ${z}`);
    }
  }));

test("a line that would cross a border is refused beside the pointer", () =>
  play(async (page) => {
    const charge = await box(page, "charge");
    const after = await box(page, "after");
    const from = { x: charge.x + charge.w, y: charge.y + 28 * 0.9 };
    const before = await edges(page);
    await drag(page, from, { x: after.x + 60, y: after.y + 20 }, async () => {
      assert.match(await why(page), /charge stands inside Payment/);
    });
    assert.match(await why(page), /charge stands inside Payment/);
    assert.deepEqual(await edges(page), before);
    assert.equal((await last(page, "connectRefused")).to, "after");
  }));

test("a compensation is drawn from the handle of a step in a transaction", () =>
  play(async (page) => {
    const charge = await box(page, "charge");
    await page.mouse.move(charge.x + 60, charge.y + 20);
    await frames(page);
    const handle = await page.locator('[data-id="charge"] .k-undo').boundingBox();
    const release = await box(page, "release");
    await drag(
      page,
      { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 },
      { x: release.x + 60, y: release.y + 20 },
    );
    const made = await last(page, "connect");
    assert.deepEqual([made.from, made.port, made.to], ["charge", "compensate", "release"]);
    assert.equal(await page.locator('[data-id="after"] .k-undo').count(), 0, "none outside a transaction");
  }));

test("a marquee that encloses a frame takes the frame for all that is in it", () =>
  play(async (page) => {
    const deep = await box(page, "deep");
    await drag(page, { x: deep.x - 8, y: deep.y - 10 }, { x: deep.x + deep.w + 12, y: deep.y + deep.h + 10 });
    assert.deepEqual(await selection(page), ["deep"]);
    const note = await box(page, "note");
    await drag(page, { x: note.x - 20, y: note.y - 10 }, { x: note.x + note.w + 20, y: note.y + note.h + 10 });
    assert.deepEqual(await selection(page), ["note"]);
  }));

test("Enter goes into a container, arrows stay in it, Escape leads out", () =>
  play(async (page) => {
    await page.evaluate(() => {
      window.bench.kernel.select({ nodes: ["pay"] });
      window.bench.kernel.focus("pay");
    });
    await page.keyboard.press("Enter");
    assert.deepEqual(await selection(page), ["reserve"]);
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await selection(page), ["charge"]);
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await selection(page), ["charge"]);
    await page.keyboard.press("Escape");
    assert.deepEqual(await selection(page), ["pay"]);
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await selection(page), ["folded"]);
    await page.keyboard.press("Escape");
    assert.deepEqual(await selection(page), []);
  }));

test("deleting a container takes its content; a copy of it has copies", () =>
  play(async (page) => {
    await page.evaluate(() => {
      window.bench.kernel.select({ nodes: ["pay"] });
      window.bench.kernel.focus("pay");
    });
    const b = await head(page, "pay");
    await page.keyboard.down("Alt");
    await drag(page, b, { x: b.x, y: b.y + 700 });
    await page.keyboard.up("Alt");
    const count = () => page.evaluate(() => window.bench.kernel.drawing.nodes.size);
    assert.equal(await count(), 16);
    await page.evaluate(() => window.bench.kernel.focus("pay"));
    await page.evaluate(() => window.bench.kernel.select({ nodes: ["pay"] }));
    await page.keyboard.press("Delete");
    assert.equal(await count(), 10);
    assert.equal(await page.evaluate(() => window.bench.kernel.drawing.nodes.has("note")), false);
  }));

test("a long label stands where there is room, is taken by the pointer and told in whole", async () => {
  const { page, faults } = await open(browser, site.url);
  const words = "everything that came in over night";
  await page.evaluate((label) => {
    const { kernel, specs } = window.bench;
    const nodes = ["a", "b"].map((id) => ({ id, key: id, kind: "http" }));
    const layout = { nodes: { a: { x: 100, y: 200 }, b: { x: 340, y: 200 } } };
    kernel.load({ signalbox: 1, nodes, edges: [{ id: "ab", from: "a", port: "success", to: "b", label }], layout }, specs);
    kernel.setCamera({ x: 0, y: 0, z: 1 });
    kernel.setReadOnly(true);
  }, words);
  await frames(page);
  const [a, b] = [await box(page, "a"), await box(page, "b")];
  const middle = (a.x + a.w + b.x) / 2;
  // Between the cards there is no room: it stands above them.
  await page.mouse.move(middle + 60, a.y - 20);
  await frames(page);
  assert.equal(await why(page), words);
  await page.mouse.move(middle + 60, a.y - 60);
  await frames(page);
  assert.equal(await why(page), "");
  // Far from each other there is room on the line.
  await page.evaluate(() => window.bench.kernel.apply([{ op: "node.move", id: "b", value: { x: 700, y: 200 } }]));
  await page.mouse.move(middle + 60, a.y - 20);
  await frames(page);
  assert.equal(await why(page), "");
  await page.mouse.move((a.x + a.w + 700) / 2 + 60, a.y + 28 + 9);
  await frames(page);
  assert.equal(await why(page), words);
  assert.deepEqual(faults, []);
  await page.close();
});
