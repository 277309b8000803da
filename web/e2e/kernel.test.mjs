// The canvas in a real browser: every gesture, the keyboard, touch, and what a
// screen reader is told.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { frames, launch, open, serve } from "./kernel-page.mjs";

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

/** Opens the page anew and plays; a fault on the page fails the test. */
async function play(body, options) {
  const { page, faults } = await open(browser, site.url, options);
  try {
    await page.evaluate(() => window.bench.kernel.setCamera({ x: 0, y: 0, z: 0.7 }));
    await frames(page);
    await body(page);
    assert.deepEqual(faults, []);
  } finally {
    await page.close();
  }
}

const camera = (page) => page.evaluate(() => window.bench.kernel.camera);
const selection = (page) =>
  page.evaluate(() => {
    const s = window.bench.kernel.selection;
    return [...s.nodes, ...s.edges, ...s.notes].sort();
  });
const place = (page, id) =>
  page.evaluate((id) => {
    const { x, y } = window.bench.kernel.drawing.place(id);
    return { x, y };
  }, id);
const events = (page, type) =>
  page.evaluate((type) => window.bench.events.filter((e) => type === undefined || e.type === type), type);
const edges = (page) => page.evaluate(() => [...window.bench.kernel.drawing.edges.values()]);

/** Points of a card on the screen. */
async function card(page, id) {
  const b = await page.evaluate((id) => window.bench.kernel.screenBox(id), id);
  const z = (await camera(page)).z;
  return {
    body: { x: b.x + b.w / 2, y: b.y + 16 * z },
    input: { x: b.x, y: b.y + 28 * z },
    port: (y) => ({ x: b.x + b.w, y: b.y + y * z }),
    box: b,
  };
}

async function drag(page, from, to, options = {}) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down(options);
  const steps = 6;
  for (let i = 1; i <= steps; i++) {
    await page.mouse.move(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps);
  }
  await frames(page);
  if (options.hold !== undefined) await options.hold();
  await page.mouse.up(options);
  await frames(page);
}

const ground = { x: 120, y: 720 };

test("the middle button and Space pan; nothing is selected by it", () =>
  play(async (page) => {
    const { body } = await card(page, "enrich");
    await drag(page, body, { x: body.x + 60, y: body.y + 30 }, { button: "middle" });
    assert.deepEqual(await camera(page), { x: 60, y: 30, z: 0.7 });
    await page.mouse.click(ground.x, ground.y);
    await page.keyboard.down("Space");
    await drag(page, ground, { x: ground.x - 60, y: ground.y - 30 });
    await page.keyboard.up("Space");
    const back = await camera(page);
    assert.ok(Math.abs(back.x) < 0.01 && Math.abs(back.y) < 0.01, JSON.stringify(back));
    assert.deepEqual(await selection(page), []);
  }));

test("a wheel zooms at the pointer, two fingers pan", () =>
  play(async (page) => {
    const { body } = await card(page, "route");
    const world = (at) => page.evaluate((p) => window.bench.kernel.toWorld(p), at);
    const before = await world(body);
    await page.mouse.move(body.x, body.y);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    await frames(page, 30);
    assert.ok((await camera(page)).z > 0.8);
    const now = await world(body);
    assert.ok(Math.abs(now.x - before.x) < 1 && Math.abs(now.y - before.y) < 1);
    const was = await camera(page);
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
    await page.mouse.wheel(30, 17);
    await frames(page);
    const moved = await camera(page);
    assert.deepEqual([Math.round(moved.x - was.x), Math.round(moved.y - was.y), moved.z], [-30, -17, was.z]);
  }));

test("a click selects, Shift adds, the ground clears", () =>
  play(async (page) => {
    const a = await card(page, "enrich");
    const b = await card(page, "route");
    await page.mouse.click(a.body.x, a.body.y);
    assert.deepEqual(await selection(page), ["enrich"]);
    await page.keyboard.down("Shift");
    await page.mouse.click(b.body.x, b.body.y);
    await page.keyboard.up("Shift");
    assert.deepEqual(await selection(page), ["enrich", "route"]);
    await page.mouse.click(ground.x, ground.y);
    assert.deepEqual(await selection(page), []);
  }));

test("a marquee encloses to the right and touches to the left", () =>
  play(async (page) => {
    const { box } = await card(page, "enrich");
    const low = { x: box.x - 12, y: box.y + box.h + 20 };
    const into = { x: box.x + box.w / 2, y: box.y - 14 };
    await drag(page, low, into);
    assert.deepEqual((await selection(page)).includes("enrich"), false, "half enclosed");
    await drag(page, { x: box.x + box.w + 12, y: box.y - 14 }, { x: box.x + box.w - 20, y: box.y + 80 });
    assert.ok((await selection(page)).includes("enrich"), "touched");
  }));

test("a card is dragged to the grid, its edges go with it, Escape takes it back", () =>
  play(async (page) => {
    const { body } = await card(page, "approve");
    const was = await place(page, "approve");
    const shadow = await page.evaluate(() => window.bench.kernel.screenBox("approve"));
    await drag(page, body, { x: body.x + 37, y: body.y + 71 }, {
      hold: async () => {
        const now = await page.evaluate(() => window.bench.kernel.screenBox("approve"));
        assert.ok(now.x > shadow.x + 20, "the preview moves");
        assert.deepEqual(await place(page, "approve"), was, "the drawing does not, yet");
      },
    });
    const now = await place(page, "approve");
    assert.ok(Math.abs(now.x - was.x - 37 / 0.7) <= 6 && Math.abs(now.y - was.y - 71 / 0.7) <= 6);
    assert.deepEqual((await events(page, "move")).length, 1);
    const again = await card(page, "approve");
    await page.mouse.move(again.body.x, again.body.y);
    await page.mouse.down();
    await page.mouse.move(again.body.x + 90, again.body.y, { steps: 4 });
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await frames(page);
    assert.deepEqual(await place(page, "approve"), now);
    assert.equal((await events(page, "move")).length, 1);
    assert.deepEqual((await card(page, "approve")).box, again.box, "and the picture is as before");
  }));

test("Alt and a drag duplicate", () =>
  play(async (page) => {
    const { body } = await card(page, "approve");
    await page.keyboard.down("Alt");
    await drag(page, body, { x: body.x + 20, y: body.y + 80 });
    await page.keyboard.up("Alt");
    assert.equal((await events(page, "duplicate")).length, 1);
    assert.equal(await page.evaluate(() => window.bench.kernel.drawing.nodes.size), 11);
  }));

test("near the border a drag pans the canvas by itself", () =>
  play(async (page) => {
    const { body } = await card(page, "created");
    await page.mouse.move(body.x, body.y);
    await page.mouse.down();
    await page.mouse.move(body.x, 890, { steps: 5 });
    await frames(page, 20);
    assert.ok((await camera(page)).y < -20, "the camera went on");
    await page.mouse.up();
    await frames(page);
    assert.ok((await place(page, "created")).y > 890 / 0.7, "and the card with the pointer");
  }));

test("a port is joined with a card, not twice, and not with a start", () =>
  play(async (page) => {
    const from = await card(page, "created");
    const to = await card(page, "approve");
    await drag(page, from.port(28), to.body);
    const [made] = await events(page, "connect");
    assert.deepEqual([made.from, made.port, made.to], ["created", "success", "approve"]);
    await drag(page, from.port(28), to.body);
    assert.match((await events(page, "connectRefused"))[0]?.why ?? "", /already/);
    const send = await card(page, "send");
    await drag(page, send.port(28), from.body);
    assert.equal((await events(page, "connectRefused")).length, 2);
    assert.equal((await events(page, "connect")).length, 1);
  }));

test("let go over the ground a wire tells where, and its preview stays", () =>
  play(async (page) => {
    const from = await card(page, "created");
    await drag(page, from.port(28), { x: 200, y: 600 });
    const [dropped] = await events(page, "connectDropped");
    assert.deepEqual(dropped.from, { node: "created", port: "success" });
    assert.ok(Math.abs(dropped.at.x - 200 / 0.7) < 1 && Math.abs(dropped.at.y - 600 / 0.7) < 1);
    await page.evaluate(() => window.bench.kernel.dropPreview());
  }));

test("the end of an edge is led elsewhere", () =>
  play(async (page) => {
    const done = await card(page, "done");
    const approve = await card(page, "approve");
    await drag(page, { x: done.input.x - 14, y: done.input.y }, approve.body);
    const [moved] = await events(page, "reconnect");
    assert.deepEqual([moved?.edge, moved?.from, moved?.to], ["send-success-done", "send", "approve"]);
    assert.equal((await edges(page)).filter((e) => e.to === "done").length, 0);
  }));

test("a free card that rests on an edge is put into it", () =>
  play(async (page) => {
    await page.evaluate(() =>
      window.bench.kernel.apply([
        { op: "node.add", id: "free", value: { key: "free", kind: "set", x: 312, y: 700 } },
      ]),
    );
    await frames(page);
    const free = await card(page, "free");
    const middle = await page.evaluate(() => window.bench.kernel.edgeMiddle("send-success-done"));
    const target = { x: middle.x, y: middle.y - 8 };
    await drag(page, free.body, target, {
      hold: () => page.evaluate(() => new Promise((done) => setTimeout(done, 400))),
    });
    const [put] = await events(page, "insert");
    assert.deepEqual([put?.node, put?.edge], ["free", "send-success-done"]);
  }));

test("a double click asks for a step, on a card for its settings, on a note for its text", () =>
  play(async (page) => {
    await page.mouse.dblclick(ground.x, ground.y);
    assert.equal((await events(page, "quickAdd"))[0]?.by, "pointer");
    const { body } = await card(page, "enrich");
    await page.mouse.dblclick(body.x, body.y + 20);
    assert.ok((await events(page)).some((e) => (e.type === "open" || e.type === "rename") && e.id === "enrich"));
    const note = await page.evaluate(() => window.bench.kernel.screenBox("hint"));
    await page.mouse.dblclick(note.x + 40, note.y + 40);
    assert.equal((await events(page, "editNote"))[0]?.id, "hint");
  }));

test("a plus in the middle of an edge and beside a port asks for a step there", () =>
  play(async (page) => {
    const middle = await page.evaluate(() => window.bench.kernel.edgeMiddle("route-default-batch"));
    await page.mouse.move(middle.x, middle.y);
    await frames(page);
    await page.mouse.click(middle.x, middle.y);
    await frames(page);
    const [add] = await events(page, "quickAdd");
    assert.equal(add?.edge, "route-default-batch");
    assert.equal(add?.by, "plus");
  }));

test("the keyboard walks, follows edges, moves, deletes and opens", () =>
  play(async (page) => {
    const focused = () => page.evaluate(() => window.bench.kernel.focused);
    await page.evaluate(() => window.bench.kernel.focus("created"));
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "enrich");
    await page.keyboard.press("Alt+ArrowRight");
    assert.equal(await focused(), "route");
    await page.keyboard.press("Alt+ArrowRight");
    assert.equal(await focused(), "triage", "the topmost way first");
    await page.keyboard.press("Alt+ArrowLeft");
    assert.equal(await focused(), "route");
    const was = await place(page, "route");
    await page.keyboard.press("Shift+ArrowDown");
    assert.deepEqual(await place(page, "route"), { x: was.x, y: was.y + 8 });
    await page.keyboard.press("Control+Shift+ArrowRight");
    assert.deepEqual(await place(page, "route"), { x: was.x + 40, y: was.y + 8 });
    await page.keyboard.press("Enter");
    assert.equal((await events(page, "open")).at(-1)?.id, "route");
    await page.keyboard.press("Control+a");
    assert.equal((await selection(page)).length >= 10, true);
    await page.keyboard.press("Escape");
    assert.deepEqual(await selection(page), []);
    await page.evaluate(() => window.bench.kernel.focus("done"));
    await page.keyboard.press("Delete");
    await frames(page);
    assert.equal(await page.evaluate(() => window.bench.kernel.drawing.nodes.has("done")), false);
    assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY", "the keyboard stays on the canvas");
    await page.keyboard.press("a");
    assert.equal((await events(page, "quickAdd")).at(-1)?.by, "key");
    await page.keyboard.press("Control+z");
    assert.equal((await events(page, "command")).at(-1)?.command, "undo");
  }));

test("one Tab leads into the canvas and one out of it", () =>
  play(async (page) => {
    await page.evaluate(() => {
      for (const where of ["prepend", "append"]) {
        const button = document.createElement("button");
        button.textContent = where;
        document.body[where](button);
      }
    });
    const active = () => page.evaluate(() => document.activeElement?.getAttribute("aria-roledescription") ?? document.activeElement?.textContent);
    await page.keyboard.press("Tab");
    assert.equal(await active(), "prepend");
    await page.keyboard.press("Tab");
    assert.equal(await active(), "step");
    await page.keyboard.press("Tab");
    assert.equal(await active(), "append");
  }));

test("a card tells its place, its outputs, its problems and its state", () =>
  play(async (page) => {
    await page.evaluate(() => {
      const { kernel } = window.bench;
      kernel.setIssues([{ code: "x", severity: "warning", message: "m", node: "route" }]);
      kernel.setStatus("route", "running");
    });
    await frames(page);
    const label = await page.getByRole("group", { name: /Route by attributes/ }).getAttribute("aria-label");
    assert.match(label, /step 3 of 10, 3 outputs, 1 warning, running/);
  }));

test("read only: looking and selecting, no proposals", () =>
  play(async (page) => {
    await page.evaluate(() => window.bench.kernel.setReadOnly(true));
    const { body, port } = await card(page, "created");
    await drag(page, body, { x: body.x + 60, y: body.y });
    assert.equal(Math.round((await camera(page)).x), 60);
    await drag(page, { x: port(28).x + 60, y: port(28).y }, { x: 500, y: 700 });
    await page.mouse.dblclick(ground.x, ground.y);
    await page.evaluate(() => window.bench.kernel.select({ nodes: ["route"] }));
    await page.evaluate(() => window.bench.kernel.focus("route"));
    for (const key of ["Delete", "Shift+ArrowDown", "F2", "a"]) await page.keyboard.press(key);
    const edits = ["move", "connect", "connectDropped", "delete", "quickAdd", "rename"];
    const made = (await events(page)).filter((e) => edits.includes(e.type));
    assert.deepEqual(made, []);
    assert.deepEqual(await selection(page), ["route"]);
  }));

test("far away cards are painted, and only the focused one stays an element", () =>
  play(async (page) => {
    const shown = () => page.evaluate(() => [...document.querySelectorAll("[aria-roledescription=step]")].filter((e) => e.checkVisibility()).length);
    await page.evaluate(() => window.bench.kernel.fit());
    await frames(page, 20);
    assert.ok((await shown()) >= 9);
    await page.evaluate(() => {
      const { kernel, large, specs } = window.bench;
      kernel.load(large(1000), specs);
      kernel.setCamera({ x: 0, y: 0, z: 1 });
    });
    await frames(page);
    assert.ok((await shown()) < 80, "culled");
    await page.evaluate(() => window.bench.kernel.focus("n0"));
    await page.evaluate(() => window.bench.kernel.setCamera({ x: -5000, y: -2000, z: 0.2 }));
    await frames(page);
    assert.ok((await shown()) <= 1, "painted");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-roledescription")), "step");
  }));

test("a finger pans, two fingers zoom, a long press is the menu", () =>
  play(
    async (page) => {
      const cdp = await page.context().newCDPSession(page);
      const touch = (type, ...points) =>
        cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
      await touch("touchStart", [200, 700]);
      await touch("touchMove", [230, 700]);
      await touch("touchMove", [260, 720]);
      await touch("touchEnd");
      await frames(page);
      const slid = await camera(page);
      assert.ok(slid.x >= 50 && slid.x <= 60, `slid ${slid.x}`);
      await touch("touchStart", [300, 700], [400, 700]);
      await touch("touchMove", [250, 700], [450, 700]);
      await touch("touchEnd");
      await frames(page);
      assert.ok(Math.abs((await camera(page)).z - 1.4) < 0.05, "twice as near");
      await page.evaluate(() => window.bench.kernel.setCamera({ x: 0, y: 0, z: 0.7 }));
      const { body } = await card(page, "enrich");
      await touch("touchStart", [body.x, body.y]);
      await page.waitForFunction(() => window.bench.events.some((e) => e.type === "menu"), undefined, { timeout: 3000 });
      await touch("touchEnd");
      assert.deepEqual((await events(page, "menu"))[0].target, { is: "node", id: "enrich" });
    },
    { hasTouch: true },
  ));

test("a finger moves a chosen card, two slide the paper, two taps connect, a tool draws an area", () =>
  play(
    async (page) => {
      const cdp = await page.context().newCDPSession(page);
      const touch = (type, ...points) =>
        cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
      const tap = async (p) => {
        await touch("touchStart", [p.x, p.y]);
        await touch("touchEnd");
        await frames(page);
      };
      const slide = async (...way) => {
        await touch("touchStart", ...way[0]);
        for (const points of way.slice(1)) await touch("touchMove", ...points);
        await touch("touchEnd");
        await frames(page);
      };
      await slide([[200, 700], [400, 700]], [[220, 720], [420, 720]], [[250, 740], [450, 740]]);
      const slid = await camera(page);
      assert.deepEqual([Math.round(slid.x), Math.round(slid.y), slid.z], [50, 40, 0.7]);
      await page.evaluate(() => window.bench.kernel.setCamera({ x: 0, y: 0, z: 0.7 }));
      await frames(page);

      // Not chosen, a card lets the finger slide the paper; chosen by a tap, it goes along.
      const { body } = await card(page, "enrich");
      const was = await place(page, "enrich");
      await slide([[body.x, body.y]], [[body.x + 20, body.y]], [[body.x + 56, body.y + 56]]);
      assert.deepEqual(await place(page, "enrich"), was);
      await page.evaluate(() => window.bench.kernel.setCamera({ x: 0, y: 0, z: 0.7 }));
      await frames(page);
      await tap(body);
      assert.deepEqual(await selection(page), ["enrich"]);
      await slide([[body.x, body.y]], [[body.x + 20, body.y]], [[body.x + 56, body.y + 140]]);
      const now = await place(page, "enrich");
      assert.ok(now.y - was.y >= 190 && now.y - was.y <= 210, `moved by ${now.y - was.y}`);

      const free = await page.evaluate(() => {
        const { kernel } = window.bench;
        kernel.load(
          {
            signalbox: 1,
            nodes: ["a", "b"].map((id) => ({ id, key: id, kind: "http" })),
            edges: [],
            layout: { nodes: { a: { x: 300, y: 300 }, b: { x: 800, y: 500 } } },
          },
          window.bench.specs,
        );
        return [...kernel.drawing.nodes.keys()];
      });
      await frames(page);
      const [a, b] = await Promise.all(free.map((id) => card(page, id)));
      await tap(a.port(28 * 0.7));
      await tap(b.input);
      const made = await edges(page);
      assert.deepEqual(made.map((e) => [e.from, e.to]), [["a", "b"]]);

      await page.evaluate(() => window.bench.kernel.setTool("area"));
      const far = [b.box.x + b.box.w + 30, b.box.y + b.box.h + 30];
      await slide([[a.box.x - 30, a.box.y - 30]], [[a.box.x + 60, a.box.y + 60]], [far]);
      assert.deepEqual(await selection(page), ["a", "b", made[0].id].filter((id) => free.includes(id)));
      assert.deepEqual((await camera(page)).x, 0);
    },
    { hasTouch: true },
  ));

test("dragged to equal gaps a card stops there, and both gaps are marked", () =>
  play(async (page) => {
    await page.evaluate(() => {
      const nodes = ["a", "b", "c", "up"].map((id) => ({ id, key: id, kind: "http" }));
      const layout = { nodes: { a: { x: 100, y: 300 }, b: { x: 401, y: 300 }, c: { x: 760, y: 520 }, up: { x: 702, y: 100 } } };
      window.bench.kernel.load({ signalbox: 1, nodes, edges: [], layout }, window.bench.specs);
      window.bench.kernel.setCamera({ x: 0, y: 0, z: 1 });
    });
    await frames(page);
    const { body } = await card(page, "c");
    // The upper canvas has marks in the middle of either gap only while these are equal.
    const marked = (x, y) =>
      page.evaluate(
        ([x, y]) => {
          const over = document.querySelectorAll(".k-root > canvas")[1];
          const { data } = over.getContext("2d").getImageData(x - 2, y - 6, 4, 12);
          return data.some((v, i) => i % 4 === 3 && v > 0);
        },
        [x, y],
      );
    const width = await page.evaluate(() => window.bench.kernel.worldBox("a").w);
    const gaps = [100 + width + (301 - width) / 2, 401 + width + (301 - width) / 2];
    await drag(page, body, { x: body.x - 60, y: body.y - 218 }, {
      hold: async () => {
        for (const x of gaps) assert.ok(await marked(x, 328), `a mark at ${x}`);
      },
    });
    assert.deepEqual(await place(page, "c"), { x: 702, y: 300 });
    for (const x of gaps) assert.ok(!(await marked(x, 328)), "the marks go");
  }));

test("a run shows on the canvas, drops run out, and calm people see none", () =>
  play(async (page) => {
    await page.evaluate(() => window.bench.midRun());
    await page.evaluate(() => {
      for (let i = 0; i < 5; i++) window.bench.kernel.drop("route-vision-vision");
    });
    await frames(page, 4);
    const failed = page.getByRole("group", { name: /Send reply.*failed/ });
    assert.equal(await failed.count(), 1);
    await page.evaluate(() => window.bench.kernel.clearStatus());
    await frames(page);
    assert.equal(await failed.count(), 0);
  }));

test("a note is dragged, and resized by its corner", () =>
  play(async (page) => {
    const note = () => page.evaluate(() => window.bench.kernel.drawing.notes.get("hint"));
    const box = () => page.evaluate(() => window.bench.kernel.screenBox("hint"));
    const was = await note();
    const b = await box();
    await drag(page, { x: b.x + 30, y: b.y + 20 }, { x: b.x + 30, y: b.y - 50 });
    assert.ok((await note()).y < was.y - 80, "moved up");
    const now = await box();
    const corner = { x: now.x + now.w - 4, y: now.y + now.h - 4 };
    await drag(page, corner, { x: corner.x + 70, y: corner.y + 35 });
    const after = await note();
    assert.ok(Math.abs(after.w - was.w - 100) < 3 && Math.abs(after.h - was.h - 50) < 3);
  }));

test("a click on the overview goes there", () =>
  play(async (page) => {
    await page.evaluate(() => {
      const canvas = document.createElement("canvas");
      canvas.id = "map";
      document.body.append(canvas);
      for (const [name, value] of Object.entries({ position: "fixed", left: "0", bottom: "0", width: "180px", height: "106px" })) {
        canvas.style.setProperty(name, value);
      }
      window.bench.kernel.load(window.bench.large(1000), window.bench.specs);
      window.bench.kernel.attachMinimap(canvas);
    });
    await frames(page, 4);
    const { x, y, width, height } = await page.locator("#map").boundingBox();
    const before = await page.evaluate(() => window.bench.kernel.center());
    await page.mouse.click(x + width / 2, y + height / 2);
    await frames(page, 3);
    const after = await page.evaluate(() => window.bench.kernel.center());
    assert.ok(after.x > before.x + 1000 && after.y > before.y + 500, JSON.stringify({ before, after }));
    const painted = await page.evaluate(() => {
      const canvas = document.querySelector("#map");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((v) => v > 0);
    });
    assert.ok(painted);
  }));

test("the theme reaches the canvas, and so do other people", () =>
  play(async (page) => {
    const corner = () =>
      page.evaluate(() => {
        const canvas = document.querySelector("#host canvas");
        return [...canvas.getContext("2d").getImageData(3, canvas.height - 4, 1, 1).data];
      });
    const light = await corner();
    await page.evaluate(() => {
      document.documentElement.dataset.theme = "dark";
    });
    await frames(page, 3);
    const dark = await corner();
    assert.ok(light[0] > 200 && dark[0] < 60, `${light} ${dark}`);
    await page.evaluate(() =>
      window.bench.kernel.setPeers([{ id: "p", name: "Jo", color: "#9a2f6b", at: { x: 500, y: 500 } }]),
    );
    await frames(page);
    assert.equal(await page.getByText("Jo", { exact: true }).count(), 1);
  }));

for (const theme of ["light", "dark"]) {
  test(`axe finds nothing to complain about (${theme})`, () =>
    play(async (page) => {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name;
        window.bench.midRun();
        window.bench.kernel.select({ nodes: ["route"] });
      }, theme);
      await frames(page, 30);
      const source = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Runtime.evaluate", { expression: source });
      const found = await page.evaluate(async () => (await window.axe.run(document.querySelector("#host"))).violations);
      assert.deepEqual(
        found.map((v) => [v.id, v.nodes.map((n) => n.failureSummary)]),
        [],
      );
    }));
}
