// A page with nothing but the canvas, for the browser tests and measurements
// in web/e2e. They speak to it through window.bench.

import { clipOf, paste } from "../../core/clip.ts";
import { Drawing } from "../../core/drawing.ts";
import { enterOps, outermost } from "../../core/frame.ts";
import type { Op } from "../../core/graph.ts";
import { apply } from "../../core/ops.ts";
import { setWords } from "../../core/strings.ts";
import words from "../../strings/en/kernel.json";
import type { KernelEvent } from "../api.ts";
import { Kernel } from "../kernel.ts";
import { type Driven, NEAR, painted, Storm } from "./driven.ts";
import { framed, grouped, large, SPECS, sample } from "./sample.ts";

setWords(words);
const host = document.getElementById("host");
if (host === null) throw new Error("the page has no host");

const kernel = new Kernel({ host, icons: "/icons.svg" });
const events: KernelEvent[] = [];
let lastId = 0;
const newId = (): string => `new${++lastId}`;

/** What an editor would do with a proposal, in short. */
function opsOf(event: KernelEvent): readonly Op[] {
  const { drawing } = kernel;
  switch (event.type) {
    case "move":
      return [
        ...event.nodes.map((id): Op => {
          const { x, y } = drawing.place(id);
          return { op: "node.move", id, value: { x: x + event.dx, y: y + event.dy } };
        }),
        ...(event.into === undefined
          ? []
          : enterOps(drawing, outermost(drawing, event.nodes), event.into)),
        ...event.notes.flatMap((id): Op[] => {
          const note = drawing.notes.get(id);
          if (note === undefined) return [];
          return [
            { op: "note.set", id, path: "/x", value: note.x + event.dx },
            { op: "note.set", id, path: "/y", value: note.y + event.dy },
          ];
        }),
      ];
    case "duplicate": {
      const offset = { dx: event.dx, dy: event.dy };
      const { into } = event;
      return paste(drawing, clipOf(drawing, event.nodes, event.notes), { newId, offset, into }).ops;
    }
    case "connect":
      return [
        {
          op: "edge.add",
          id: newId(),
          value: { from: event.from, port: event.port, to: event.to },
        },
      ];
    case "reconnect":
      return [
        { op: "edge.del", id: event.edge },
        {
          op: "edge.add",
          id: event.edge,
          value: { from: event.from, port: event.port, to: event.to },
        },
      ];
    case "delete":
      return [
        ...event.edges.map((id): Op => ({ op: "edge.del", id })),
        ...event.nodes.map((id): Op => ({ op: "node.del", id })),
        ...event.notes.map((id): Op => ({ op: "note.del", id })),
      ];
    case "resizeNote": {
      const { w, h } = event.box;
      return [
        { op: "note.set", id: event.id, path: "/w", value: w },
        { op: "note.set", id: event.id, path: "/h", value: h },
      ];
    }
    case "resizeFrame": {
      const { x, y, w, h } = event.box;
      return [
        { op: "node.move", id: event.id, value: { x, y } },
        { op: "node.size", id: event.id, value: { w, h } },
      ];
    }
    case "fold": {
      const { w, h } = drawing.place(event.id);
      return [{ op: "node.size", id: event.id, value: { w, h, folded: event.folded } }];
    }
    case "insert": {
      const e = drawing.edges.get(event.edge);
      const { x, y } = drawing.place(event.node);
      const moved: Op = {
        op: "node.move",
        id: event.node,
        value: { x: x + event.dx, y: y + event.dy },
      };
      if (e === undefined) return [moved];
      return [
        moved,
        { op: "edge.set", id: e.id, path: "/to", value: event.node },
        { op: "edge.add", id: newId(), value: { from: event.node, port: "success", to: e.to } },
      ];
    }
    default:
      return [];
  }
}

const told = [
  "move",
  "duplicate",
  "connect",
  "reconnect",
  "connectDropped",
  "connectRefused",
  "insert",
  "quickAdd",
  "delete",
  "resizeNote",
  "resizeFrame",
  "fold",
  "editNote",
  "rename",
  "open",
  "command",
  "menu",
  "selection",
  "focus",
  "followStopped",
  "tool",
] as const;

for (const type of told) {
  kernel.on(type, (event) => {
    events.push(event);
    const ops = opsOf(event);
    if (ops.length > 0) kernel.apply(ops);
  });
}

const storm = new Storm();

/** Changes the status of so many steps, each time others. */
function tick(count: number): void {
  const ids = [...kernel.drawing.nodes.keys()];
  for (let i = 0; i < count; i++) {
    const { id, status, left } = storm.next(ids);
    kernel.setStatus(id, status, { left, right: "w1" });
  }
}

/** The same as the page with React Flow offers. */
const driven: Driven = {
  async start(made, n) {
    kernel.load(made === "large" ? large(n) : grouped(n), SPECS);
    kernel.setCamera(NEAR);
    await painted();
  },
  look: (camera) => kernel.setCamera(camera),
  zoomBy: (factor) => kernel.zoomBy(factor),
  tick,
  calm: () => kernel.clearStatus(),
};

/** A run in the middle, as in the mock. */
function midRun(): void {
  const tone = "status" as const;
  kernel.setStatus("created", "done");
  kernel.setStatus("enrich", "done", { left: "412 ms", right: "2 attempts" });
  kernel.setStatus("route", "done");
  kernel.setStatus("triage", "done", { left: "1.84 s", right: "score 0.97" });
  kernel.setStatus(
    "vision",
    "running",
    { left: "running 6.2 s", right: "worker cv-3", tone },
    0.62,
  );
  kernel.setStatus("batch", "skipped");
  kernel.setStatus("reserve", "queued", { left: "queued", right: "express", tone });
  kernel.setStatus("send", "failed", { left: "failed", right: "3 of 3 attempts", tone });
  kernel.setStatus("approve", "waiting", { left: "waiting 4.3 s", right: "due in 29 m", tone });
  for (const e of kernel.drawing.edges.values()) kernel.setEdge(e.id, "taken");
  kernel.setEdge("route-vision-vision", "active");
  for (const id of ["route-default-batch", "batch-success-reserve", "batch-failure-approve"]) {
    kernel.setEdge(id, "skipped");
  }
}

const bench = {
  driven,
  kernel,
  events,
  sample,
  framed,
  grouped,
  large,
  specs: SPECS,
  tick,
  midRun,
  apply,
  Drawing,
};

declare global {
  interface Window {
    bench: typeof bench;
  }
}

window.bench = bench;
kernel.load(sample(), SPECS);
