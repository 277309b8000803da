import assert from "node:assert/strict";
import { test } from "node:test";
import type { Graph } from "./graph.ts";
import type { Doors, Ears, Link, WireEvents } from "./run-client.ts";
import { Denied, RunClient } from "./run-client.ts";
import type { Brief } from "./run-event.ts";
import { shapeOf } from "./run-state.ts";
import { Trace } from "./run-trace.ts";

const graph: Graph = {
  signalbox: 1,
  nodes: [{ id: "a", key: "a", kind: "set" }],
  edges: [],
  layout: {},
};

function log(from: number, to: number, end = false): readonly Brief[] {
  return Array.from({ length: to - from + 1 }, (_none, i) => ({
    seq: from + i,
    at: from + i,
    type: end && from + i === to ? "RunSucceeded" : "NodeCompleted",
    node: "a",
    visit: from + i,
  }));
}

/** A server in hand: what the client asks is written down. */
class World {
  readonly trace = new Trace(shapeOf(graph));
  readonly links: Link[] = [];
  readonly gaps: unknown[] = [];
  readonly sent: unknown[] = [];
  readonly pages: number[] = [];
  later: (() => void)[] = [];
  wire: WireEvents | undefined;
  stored: readonly Brief[] = [];
  ticket: () => Promise<string> = () => Promise.resolve("T");

  readonly ears: Ears = {
    events: (list) => this.trace.add(list),
    link: (state) => this.links.push(state),
    gap: (range) => this.gaps.push(range),
  };

  doors(guest = false): Doors {
    return {
      ticket: () => this.ticket(),
      open: (events) => {
        this.wire = events;
        return {
          send: (text) => this.sent.push(JSON.parse(text)),
          close: () => {
            this.wire = undefined;
          },
        };
      },
      ...(guest
        ? {}
        : {
            page: (after: number) => {
              this.pages.push(after);
              return Promise.resolve(this.stored.slice(after, after + 1_000));
            },
          }),
      later: (run) => {
        this.later.push(run);
        return () => {
          this.later = this.later.filter((l) => l !== run);
        };
      },
    };
  }

  hello(): void {
    this.wire?.opened();
    this.wire?.message('{"t":"hello","v":1}');
  }

  events(list: readonly Brief[]): void {
    this.wire?.message(JSON.stringify({ t: "ev", topic: "run:R", e: list }));
  }

  /** Lets promises that are settled go on. */
  async settle(): Promise<void> {
    for (let i = 0; i < 8; i += 1) await Promise.resolve();
  }
}

test("a run that is over is read page by page and no socket is opened", async () => {
  const world = new World();
  world.stored = log(1, 2_300, true);
  await new RunClient("R", world.doors(), world.ears).start();
  assert.deepEqual(world.pages, [0, 1_000, 2_000]);
  assert.equal(world.trace.last, 2_300);
  assert.equal(world.wire, undefined);
  assert.deepEqual(world.links, ["over"]);
});

test("a live run: the past over HTTP, then the socket from the last number to the end", async () => {
  const world = new World();
  world.stored = log(1, 3);
  await new RunClient("R", world.doors(), world.ears).start();
  world.hello();
  assert.deepEqual(world.sent, [
    { t: "auth", ticket: "T" },
    { t: "sub", topic: "run:R", after: 3 },
  ]);
  world.events(log(4, 6, true));
  assert.equal(world.trace.last, 6);
  assert.deepEqual(world.links, ["connecting", "live", "over"]);
  assert.equal(world.wire, undefined);
});

test("after a break it comes back with a fresh ticket and the last number", async () => {
  const world = new World();
  let tickets = 0;
  world.ticket = () => {
    tickets += 1;
    return Promise.resolve(`T${tickets}`);
  };
  await new RunClient("R", world.doors(), world.ears).start();
  world.hello();
  world.events(log(1, 5));
  world.wire?.closed(1006);
  assert.equal(world.links.at(-1), "offline");
  world.later[0]?.();
  await world.settle();
  world.hello();
  assert.deepEqual(world.sent.slice(2), [
    { t: "auth", ticket: "T2" },
    { t: "sub", topic: "run:R", after: 5 },
  ]);
  assert.equal(world.links.at(-1), "live");
});

test("a hole is told and filled over HTTP", async () => {
  const world = new World();
  await new RunClient("R", world.doors(), world.ears).start();
  world.hello();
  world.events(log(1, 2));
  world.stored = log(1, 6);
  world.events(log(5, 6));
  assert.deepEqual(world.gaps.at(-1), { from: 3, to: 4 });
  await world.settle();
  assert.equal(world.trace.last, 6);
  assert.equal(world.gaps.at(-1), undefined);
});

test("what the server dropped is fetched", async () => {
  const world = new World();
  await new RunClient("R", world.doors(), world.ears).start();
  world.hello();
  world.events(log(1, 2));
  world.stored = log(1, 9, true);
  world.wire?.message('{"t":"gap","topic":"run:R","from":3,"to":9}');
  await world.settle();
  assert.equal(world.trace.last, 9);
  assert.equal(world.links.at(-1), "over");
});

test("a guest whose link ends is told at once, also when the run is over", async () => {
  const world = new World();
  world.stored = log(1, 3, true);
  await new RunClient("R", world.doors(), world.ears, true).start();
  world.hello();
  assert.equal(world.links.at(-1), "over");
  world.wire?.message('{"t":"gone","topic":"run:R","why":"revoked"}');
  assert.equal(world.links.at(-1), "gone");
  assert.equal(world.later.length, 0);
});

test("a guest without pages subscribes again to fill a hole", async () => {
  const world = new World();
  await new RunClient("R", world.doors(true), world.ears).start();
  world.hello();
  world.events(log(1, 2));
  world.events(log(5, 6));
  assert.deepEqual(world.sent.at(-1), { t: "sub", topic: "run:R", after: 2 });
});

test("a refusal for good is not tried again", async () => {
  for (const [status, link] of [
    [401, "login"],
    [404, "gone"],
  ] as const) {
    const world = new World();
    world.ticket = () => Promise.reject(new Denied(status));
    await new RunClient("R", world.doors(), world.ears).start();
    assert.equal(world.links.at(-1), link);
    assert.equal(world.later.length, 0);
  }
});

test("a frame that can't be read does no harm", async () => {
  const world = new World();
  await new RunClient("R", world.doors(), world.ears).start();
  world.hello();
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '{"t":"ev","topic":"run:R"}',
    '{"t":"ev","topic":"run:R","e":[{"seq":"x"}]}',
  ]) {
    world.wire?.message(text);
  }
  world.events(log(1, 1));
  assert.equal(world.trace.last, 1);
});
