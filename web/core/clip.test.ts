import assert from "node:assert/strict";
import { test } from "node:test";
import { clipOf, clipText, paste, readClip } from "./clip.ts";
import { Drawing } from "./drawing.ts";
import { apply } from "./ops.ts";

function drawing(): Drawing {
  return new Drawing({
    signalbox: 1,
    nodes: [
      { id: "a", key: "start", kind: "manual" },
      { id: "b", key: "fetch", kind: "http", config: { url: "=nodes.start.output.url" } },
      { id: "c", key: "send", kind: "http", config: { body: "=nodes.fetch.output" } },
    ],
    edges: [
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "bc", from: "b", port: "success", to: "c" },
    ],
    layout: {
      nodes: { a: { x: 0, y: 0 }, b: { x: 300, y: 40, title: "Fetch it" }, c: { x: 600, y: 0 } },
      notes: { t: { x: 300, y: 200, w: 100, h: 50, text: "why" } },
    },
  });
}

function counter(): () => string {
  let n = 0;
  return () => `new${n++}`;
}

test("a copy goes through text and comes back with new ids and keys", () => {
  const d = drawing();
  const clip = readClip(clipText(clipOf(d, ["b", "c"], ["t"])));
  assert.ok(clip);
  const { ops, nodes, notes } = paste(d, clip, { newId: counter(), at: { x: 1_000, y: 500 } });
  const undo = apply(d, ops);
  assert.deepEqual([nodes.length, notes.length, d.nodes.size, d.edges.size], [2, 1, 5, 3]);
  const [b2 = "", c2 = ""] = nodes;
  assert.deepEqual([d.nodes.get(b2)?.key, d.nodes.get(c2)?.key], ["fetch_it", "send_2"]);
  // The upper left corner of all that was copied comes to the given place.
  assert.deepEqual(d.place(b2), { x: 1_000, y: 540, title: "Fetch it" });
  assert.deepEqual([d.place(c2).x, d.place(c2).y], [1_300, 500]);
  assert.equal([...d.out(b2)][0]?.to, c2, "the edge between the two came along");
  apply(d, undo);
  assert.deepEqual(d.graph().nodes, drawing().graph().nodes);
});

test("outside links are kept on request, where their ends are", () => {
  const d = drawing();
  const clip = clipOf(d, ["b"], []);
  assert.equal(clip.outside.length, 2);
  apply(d, paste(d, clip, { newId: counter(), keepLinks: true }).ops);
  assert.equal(d.out("a").size, 2, "also fed by the start");
  assert.equal(d.into("c").size, 2, "also leads to the end");
  const other = new Drawing();
  apply(other, paste(other, clip, { newId: counter(), keepLinks: true }).ops);
  assert.equal(other.edges.size, 0);
});

test("in an empty drawing keys stay as they were", () => {
  const other = new Drawing();
  apply(other, paste(other, clipOf(drawing(), ["b", "c"], []), { newId: counter() }).ops);
  assert.deepEqual(
    [...other.nodes.values()].map((n) => n.key),
    ["fetch", "send"],
  );
});

test("expressions learn the new keys", () => {
  const d = drawing();
  const seen: [string, string][] = [];
  paste(d, clipOf(d, ["b", "c"], []), {
    newId: counter(),
    rename: (config, keys) => {
      seen.push(...keys);
      return config;
    },
  });
  assert.deepEqual(seen.slice(0, 2), [
    ["fetch", "fetch_it"],
    ["send", "send_2"],
  ]);
});

test("other texts are no clips", () => {
  for (const text of [
    "",
    "hello",
    "{}",
    "null",
    "[1]",
    '{"signalbox_clip":1}',
    '{"signalbox_clip":1,"nodes":{}}',
  ]) {
    assert.equal(readClip(text), undefined, text);
  }
});
