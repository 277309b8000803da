import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import type { Graph } from "./graph.ts";
import { apply, OpError } from "./ops.ts";
import type { Effect, Ordered, Pending } from "./sync.ts";
import { backoff, Sync } from "./sync.ts";
import type { Change } from "./touch.ts";

// A tiny server with the same rules as the real one: it orders batches, takes
// each once, and takes all of it or nothing.
class Server {
  readonly drawing: Drawing;
  readonly log: Ordered[] = [];
  readonly #answers = new Map<string, { seq: number } | { why: string }>();

  constructor(graph: Graph) {
    this.drawing = new Drawing(graph);
  }

  post(batch: string, ops: readonly Change[], by: string): { seq: number } | { why: string } {
    const before = this.#answers.get(batch);
    if (before) return before;
    let answer: { seq: number } | { why: string };
    try {
      apply(this.drawing, ops);
      answer = { seq: this.log.length + 1 };
      this.log.push({ seq: answer.seq, batch, ops, by: { id: by, name: by } });
    } catch (error) {
      if (!(error instanceof OpError)) throw error;
      answer = { why: error.message };
    }
    this.#answers.set(batch, answer);
    return answer;
  }

  after(seq: number): Ordered[] {
    return this.log.filter((b) => b.seq > seq);
  }
}

/** A random source that a failing seed repeats. */
function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Event = { at: number; run(): void };

/** A clock and a line that delays, repeats, loses and breaks. */
class World {
  now = 0;
  readonly rand: () => number;
  readonly #events: Event[] = [];

  constructor(seed: number) {
    this.rand = random(seed);
  }

  later(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, run });
  }

  run(until: () => boolean): void {
    for (let steps = 0; !until(); steps += 1) {
      assert.ok(steps < 200_000, "it never came to rest");
      this.#events.sort((a, b) => a.at - b.at);
      const next = this.#events.shift();
      if (!next) return;
      this.now = Math.max(this.now, next.at);
      next.run();
    }
  }
}

class Client {
  readonly name: string;
  readonly world: World;
  readonly server: Server;
  drawing: Drawing;
  sync: Sync;
  stored: readonly Pending[] = [];
  online = true;
  /** Batches that the server acknowledged to this client. */
  readonly acked = new Set<string>();
  readonly refused = new Set<string>();
  reloads = 0;
  #generation = 0;
  #batches = 0;

  constructor(name: string, world: World, server: Server) {
    this.name = name;
    this.world = world;
    this.server = server;
    this.drawing = new Drawing(server.drawing.graph());
    this.sync = this.#fresh(server.log.length);
  }

  #fresh(seq: number): Sync {
    return new Sync({ apply: (ops) => apply(this.drawing, ops) }, seq);
  }

  edit(ops: readonly Change[], merge?: string): boolean {
    this.#batches += 1;
    try {
      this.run(this.sync.edit(`${this.name}${this.#batches}`, ops, merge).effects);
      return true;
    } catch (error) {
      assert.ok(error instanceof OpError);
      return false;
    }
  }

  /** The page is closed and opened again: only what was stored is left. */
  reload(): void {
    this.#generation += 1;
    this.drawing = new Drawing(this.server.drawing.graph());
    this.sync = this.#fresh(this.server.log.length);
    this.run(this.sync.restore(this.stored));
  }

  frame(batch: Ordered): void {
    if (this.online) this.run(this.sync.received(batch));
  }

  run(effects: readonly Effect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  /** Later, unless the page was reloaded since. */
  #later(ms: number, run: () => void): void {
    const generation = this.#generation;
    this.world.later(ms, () => {
      if (generation === this.#generation) run();
    });
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case "send":
        this.#send(effect.batch, effect.ops);
        break;
      case "store":
        this.stored = effect.pending;
        break;
      case "fetch":
        this.#fetch(effect.after);
        break;
      case "wake":
        this.#later(effect.ms, () => this.run(this.sync.woke(effect.timer)));
        break;
      case "refused":
        this.refused.add(effect.batch);
        break;
      case "reload":
        this.reloads += 1;
        this.stored = this.sync.pending;
        this.reload();
        break;
      case "changed":
        break;
    }
  }

  #send(id: string, ops: readonly Change[]): void {
    const { rand } = this.world;
    const lostOnTheWay = !this.online || rand() < 0.1;
    const answerLost = rand() < 0.1;
    const delay = 5 + rand() * 400;
    if (lostOnTheWay) {
      this.#later(delay, () => this.run(this.sync.failed(id)));
      return;
    }
    this.world.later(delay, () => {
      const answer = this.server.post(id, ops, this.name);
      if (rand() < 0.1) this.server.post(id, ops, this.name); // the request arrives twice
      if ("seq" in answer) publish(this.world, this.server, answer.seq);
    });
    this.#later(delay * 2, () => {
      const answer = this.server.post(id, ops, this.name);
      if (answerLost || !this.online) this.run(this.sync.failed(id));
      else if ("seq" in answer) {
        this.acked.add(id);
        this.run(this.sync.acked(id, answer.seq));
      } else this.run(this.sync.refused(id, answer.why));
    });
  }

  #fetch(after: number): void {
    const { rand } = this.world;
    const answer = this.server.after(after);
    this.#later(5 + rand() * 300, () => {
      if (!this.online || rand() < 0.1) this.run(this.sync.fetchFailed());
      else this.run(this.sync.fetched(answer));
    });
  }
}

let everybody: readonly Client[] = [];

/** Frames come late, twice, out of order, or not at all. */
function publish(world: World, server: Server, seq: number): void {
  const batch = server.log[seq - 1];
  if (!batch) return;
  for (const client of everybody) {
    const times = world.rand() < 0.15 ? 2 : 1;
    for (let i = 0; i < times; i += 1) {
      if (world.rand() < 0.12) continue;
      world.later(5 + world.rand() * 500, () => client.frame(batch));
    }
  }
}

const start: Graph = {
  signalbox: 1,
  nodes: ["a", "b", "c", "d"].map((id) => ({
    id,
    key: `key_${id}`,
    kind: "set",
    config: { x: 0 },
  })),
  edges: [{ id: "e1", from: "a", port: "success", to: "b" }],
  layout: { nodes: Object.fromEntries(["a", "b", "c", "d"].map((id) => [id, { x: 0, y: 0 }])) },
};

function gesture(client: Client, n: number): void {
  const { rand } = client.world;
  const ids = [...client.drawing.nodes.keys()];
  const edges = [...client.drawing.edges.keys()];
  const pick = (list: readonly string[]) => list[Math.floor(rand() * list.length)] ?? "none";
  const word = `${client.name}${n}`;
  const roll = rand();
  if (roll < 0.3)
    client.edit([
      { op: "node.set", id: pick(ids), path: `/config/${pick(["x", "y", "z"])}`, value: word },
    ]);
  else if (roll < 0.4)
    for (const letter of ["1", "12", "123"])
      client.edit(
        [{ op: "node.set", id: ids[0] ?? "", path: "/title", value: word + letter }],
        `title-${word}`,
      );
  else if (roll < 0.55)
    client.edit(
      ids
        .slice(0, 2)
        .map((id) => ({ op: "node.move", id, value: { x: Math.floor(rand() * 900), y: n } })),
    );
  else if (roll < 0.7)
    client.edit([
      { op: "node.add", id: `n_${word}`, value: { key: `k_${word}`, kind: "set", x: n, y: 0 } },
    ]);
  else if (roll < 0.8)
    client.edit([
      {
        op: "edge.add",
        id: `e_${word}`,
        value: { from: pick(ids), port: "success", to: pick(ids) },
      },
    ]);
  else if (roll < 0.86) client.edit([{ op: "edge.del", id: pick(edges) }]);
  else if (roll < 0.94) client.edit([{ op: "node.del", id: pick(ids) }]);
  else client.edit([{ op: "node.set", id: pick(ids), path: "/key", value: `r_${word}` }]);
}

/** The drawing with everything in an order of its own. */
function image(drawing: Drawing): unknown {
  const { nodes, edges, layout } = drawing.graph();
  const byID = <T extends { readonly id: string }>(list: readonly T[]) =>
    [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
  return JSON.parse(
    JSON.stringify({
      nodes: byID(nodes),
      edges: byID(edges),
      places: Object.entries(layout.nodes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
    }),
    (_, v: unknown) =>
      typeof v === "object" && v !== null && !Array.isArray(v)
        ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
        : v,
  );
}

function play(seed: number): { server: Server; clients: readonly Client[] } {
  const world = new World(seed);
  const server = new Server(start);
  const clients = ["p", "q", "r"].map((name) => new Client(name, world, server));
  everybody = clients;
  for (const client of clients) {
    let at = 0;
    for (let n = 0; n < 25; n += 1) {
      at += world.rand() * 600;
      world.later(at, () => gesture(client, n));
      if (world.rand() < 0.08) {
        world.later(at + 1, () => {
          client.online = false;
        });
        world.later(at + 500 + world.rand() * 3_000, () => {
          client.online = true;
          client.run(client.sync.online());
        });
      }
      if (world.rand() < 0.04) world.later(at + 2, () => client.reload());
    }
  }
  // At the end everybody's line is up. A last frame may still get lost with
  // nothing behind it to show the hole, so they look now and then, as a
  // websocket that opens again makes them.
  const look = () => {
    for (const client of clients) {
      client.online = true;
      client.run(client.sync.online());
    }
    world.later(5_000, look);
  };
  world.later(60_000, look);
  const rest = () =>
    world.now > 60_000 &&
    clients.every((c) => c.sync.pending.length === 0 && c.sync.seq === server.log.length);
  world.run(rest);
  assert.ok(rest(), "every client is up to date and has nothing left to send");
  return { server, clients };
}

for (let seed = 1; seed <= 60; seed += 1) {
  test(`three clients converge, seed ${seed}`, () => {
    const { server, clients } = play(seed);
    const truth = image(server.drawing);
    for (const client of clients)
      assert.deepEqual(image(client.drawing), truth, `${client.name} differs from the server`);
    const known = new Set(server.log.map((b) => b.batch));
    for (const client of clients) {
      for (const id of client.acked)
        assert.ok(known.has(id), `the acknowledged edit ${id} is lost`);
    }
  });
}

test("the runs are worth something: batches are ordered, some refused, many clients' edits meet", () => {
  let batches = 0;
  let refused = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const { server, clients } = play(seed);
    batches += server.log.length;
    refused += clients.reduce((n, c) => n + c.refused.size, 0);
  }
  assert.ok(batches > 600, `only ${batches} batches`);
  assert.ok(refused > 0, "no batch was ever refused");
});

function single(): { sync: Sync; drawing: Drawing } {
  const drawing = new Drawing(start);
  return { drawing, sync: new Sync({ apply: (ops) => apply(drawing, ops) }, 0) };
}

const title = (value: string): Change[] => [{ op: "node.set", id: "a", path: "/title", value }];

test("it says saved only when the server has everything", () => {
  const { sync } = single();
  sync.edit("b1", title("one"));
  assert.deepEqual(sync.save, { is: "saving", edits: 1 });
  sync.woke("send");
  assert.deepEqual(sync.save, { is: "saving", edits: 1 });
  sync.acked("b1", 1);
  assert.deepEqual(sync.save, { is: "saved" });
});

test("one batch is on its way at a time, and typing is folded into one", () => {
  const { sync } = single();
  for (const text of ["h", "he", "hey"]) sync.edit(`b${text}`, title(text), "title");
  const sent = sync.woke("send").filter((e) => e.do === "send");
  assert.equal(sent.length, 1);
  assert.deepEqual(
    sync.pending.map((p) => p.ops),
    [title("hey")],
  );
  sync.edit("later", title("hey you"), "title");
  assert.equal(sync.woke("send").length, 0);
  assert.equal(sync.pending.length, 2, "what was sent is never changed");
});

test("a refused batch is taken back and what came after it stays", () => {
  const { sync, drawing } = single();
  sync.edit("b1", [{ op: "node.set", id: "a", path: "/config/x", value: 5 }]);
  sync.woke("send");
  sync.edit("b2", title("kept"));
  const effects = sync.refused("b1", "no");
  assert.ok(effects.some((e) => e.do === "refused" && e.message === "no"));
  assert.deepEqual(drawing.nodes.get("a")?.config, { x: 0 });
  assert.equal(drawing.place("a").title, "kept");
});

test("the later writer by the server's order wins", () => {
  const { sync, drawing } = single();
  sync.edit("mine", title("mine"));
  sync.woke("send");
  sync.received({ seq: 1, batch: "theirs", ops: title("theirs") });
  assert.equal(drawing.place("a").title, "mine", "mine comes after theirs");
  sync.acked("mine", 2);
  sync.received({ seq: 3, batch: "again", ops: title("again") });
  assert.equal(drawing.place("a").title, "again");
});

test("a hole in the order is fetched, and nothing is applied before it is filled", () => {
  const { sync, drawing } = single();
  const effects = sync.received({ seq: 2, batch: "two", ops: title("two") });
  assert.deepEqual(
    effects.map((e) => e.do),
    ["wake"],
  );
  assert.equal(drawing.place("a").title, undefined);
  assert.deepEqual(sync.woke("fetch"), [{ do: "fetch", after: 0 }]);
  sync.fetched([
    { seq: 1, batch: "one", ops: [{ op: "node.set", id: "b", path: "/title", value: "one" }] },
  ]);
  assert.equal(sync.seq, 2);
  assert.equal(drawing.place("a").title, "two");
});

test("the wait before another try grows and has an end", () => {
  assert.deepEqual([1, 2, 3, 9].map(backoff), [1_000, 2_000, 4_000, 30_000]);
});
