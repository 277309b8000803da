import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf, inAnchor, outAnchor, portsFor, titleOf, unknownSpec } from "./card.ts";
import type { GraphNode, Spec } from "./graph.ts";
import { subtitleOf } from "./subtitle.ts";

const route: Spec = {
  ...unknownSpec("route"),
  title: "Route",
  ports: [
    { name: "default", title: "Otherwise" },
    { name: "failure", title: "Failure", optional: true, failure: true },
  ],
  ports_of: { field: "rules", name: "port", label: "when" },
  subtitle: "{match} match",
};

const node: GraphNode = {
  id: "r",
  key: "router",
  kind: "route",
  config: {
    match: "first",
    rules: [{ port: "express", when: "input.p > 8" }, { when: "no port yet" }],
  },
};

const place = { x: 0, y: 0 };
const at = { x: 100, y: 200, w: 248, h: 150 };

test("ports stand also in lists of lists: the ways out of each task of a state", () => {
  const spec: Spec = {
    ...unknownSpec("state"),
    ports: [],
    ports_of: { field: "on", name: "port", label: "event" },
    more_ports: [{ field: "invoke.done", name: "port", label: "port" }],
  };
  const invoke = [{ done: [{ port: "a" }, { port: "b" }] }, {}, { done: [{ port: "c" }] }];
  const names = portsFor(spec, { on: [{ port: "on_x" }], invoke }).map((p) => p.name);
  assert.deepEqual(names, ["on_x", "a", "b", "c"]);
});

test("ports come from the configuration first, then from the kind", () => {
  assert.deepEqual(
    portsFor(route, node.config).map((p) => p.name),
    ["express", "default", "failure"],
  );
  assert.deepEqual(
    portsFor(route, { rules: "=input.rules" }).length,
    2,
    "rules may be an expression",
  );
});

test("a failure that nobody handles is spare; used, it gets a row", () => {
  const card = cardOf(node, place, route, new Set());
  assert.deepEqual(
    card.ports.map((p) => [p.name, p.title, p.label, p.y]),
    [
      ["express", "express", "input.p > 8", 75],
      ["default", "Otherwise", "", 103],
    ],
  );
  assert.deepEqual(
    [card.spare.map((p) => p.name), card.height, card.width],
    [["failure"], 121, 248],
  );
  const used = cardOf(node, place, route, new Set(["failure"]));
  assert.deepEqual([used.ports.length, used.spare.length, used.height], [3, 0, 149]);
});

test("an edge from a port that is gone keeps a row", () => {
  const card = cardOf(node, place, route, new Set(["old"]));
  assert.equal(card.ports.at(-1)?.name, "old");
});

test("one port sits beside the title", () => {
  const spec = { ...unknownSpec("set"), ports: [{ name: "success", title: "Success" }] };
  const card = cardOf({ id: "s", key: "s", kind: "set" }, place, spec, new Set());
  assert.deepEqual([card.rows, card.ports[0]?.y, card.width, card.height], [false, 28, 208, 56]);
});

test("edges hang on the ports", () => {
  const card = cardOf(node, place, route, new Set());
  assert.deepEqual(outAnchor(card, at, "default"), { x: 349, y: 303, down: false });
  assert.deepEqual(outAnchor(card, at, "failure")?.down, true);
  assert.equal(outAnchor(card, at, "nothing"), undefined);
  assert.deepEqual(inAnchor(at), { x: 99, y: 228 });
});

test("titles and subtitles", () => {
  assert.equal(titleOf({ ...place, title: "By size" }, route), "By size");
  assert.equal(titleOf(place, route), "Route");
  assert.equal(subtitleOf(route, node), "first match");
  assert.equal(
    subtitleOf({ ...route, subtitle: "{a} {b}" }, { key: "k", config: { a: 5, b: { c: 1 } } }),
    '5 {"c":1}',
  );
  assert.equal(
    subtitleOf({ ...route, subtitle: "answers after {latency} ms" }, { key: "k" }),
    "k",
    "nothing to show: the key",
  );
});

test("a subtitle is read by people: no template, no half of an address", () => {
  const shows = (a: string) =>
    subtitleOf({ ...route, subtitle: "{a}" }, { key: "k", config: { a } });
  assert.equal(shows("Merge {{ string(trigger.number) }}?"), "Merge \u2039number\u203a?");
  assert.equal(shows("{{ 1 + 1 }}"), "\u2039\u2026\u203a");
  assert.equal(shows("=input.items"), "input.items");
  assert.equal(shows("https://a.example/x"), "a.example/x");
  assert.equal(
    shows("https://api.example.org/v1/orders/{{ input.id }}?x=1"),
    "\u2026/\u2039id\u203a",
  );
  assert.equal(shows("http://signalbox.local/api/cases"), "\u2026/cases");
});
