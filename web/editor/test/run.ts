// A test run of this drawing: it is watched here, and its states are painted
// on the canvas.

import { effect, signal } from "@preact/signals";
import type { Edge, Graph } from "../../core/graph.ts";
import type { Ears } from "../../core/run-client.ts";
import { RunClient } from "../../core/run-client.ts";
import type { Brief } from "../../core/run-event.ts";
import type { NodeState, NodeStatus } from "../../core/run-node.ts";
import { standing } from "../../core/run-scope.ts";
import type { RunState } from "../../core/run-state.ts";
import { isOver, shapeOf, taken } from "../../core/run-state.ts";
import { took } from "../../core/run-time.ts";
import type { Added } from "../../core/run-trace.ts";
import { Trace } from "../../core/run-trace.ts";
import type { NodeStatus as Drawn, EdgeState } from "../../kernel/api.ts";
import { Rig } from "../../rig/acts.ts";
import { t } from "../../rig/words.ts";
import { call, doors, at as member } from "../../run/net.ts";
import type { Editor } from "../state/editor.ts";

/** What a test run was started with, to start it again. */
export type TestStart = {
  readonly input: unknown;
  readonly trigger: string;
  readonly test: Readonly<Record<string, unknown>>;
};

export class TestRun implements Ears {
  readonly id: string;
  readonly rig: Rig;
  readonly start: TestStart;
  readonly state;
  readonly result = signal<unknown>(undefined);
  readonly #editor: Editor;
  readonly #graph: Graph;
  readonly #trace: Trace;
  readonly #client: RunClient;
  readonly #unpaint: () => void;

  constructor(editor: Editor, id: string, start: TestStart, graph: Graph) {
    this.#editor = editor;
    this.id = id;
    this.start = start;
    this.#graph = graph;
    this.#trace = new Trace(shapeOf(graph));
    this.state = signal<RunState>(this.#trace.live);
    this.rig = new Rig(id, (text) => editor.toast(text, { tone: "fail" }));
    this.#client = new RunClient(id, doors("/api/ticket", `/api/runs/${id}/events`), this);
    this.#unpaint = effect(() => this.#paint(this.state.value));
  }

  watch(): Promise<void> {
    return this.#client.start();
  }

  /** The canvas is a drawing again. */
  close(): void {
    this.#client.stop();
    this.#unpaint();
    this.#editor.kernel.clearStatus();
  }

  /** How a step is called here and now. */
  title(key: string): string {
    const node = this.#graph.nodes.find((n) => n.key === key);
    if (node === undefined) return key;
    const { drawing } = this.#editor;
    const title = drawing.nodes.has(node.id) ? drawing.place(node.id).title : undefined;
    return title || this.#editor.spec(node.kind)?.title || key;
  }

  /** The breakpoints changed while the run goes on. */
  breaksAre(keys: readonly string[]): void {
    const was = this.state.peek().test?.arranged.breaks ?? [];
    const known = keys.filter((k) => this.#graph.nodes.some((n) => n.key === k));
    const same = known.length === was.length && known.every((k) => was.includes(k));
    if (!same && !isOver(this.state.peek().status)) void this.rig.breaks(known);
  }

  // -- what the client tells

  events(list: readonly Brief[]): Added {
    const added = this.#trace.add(list);
    if (added.fresh.length === 0) return added;
    for (const e of added.fresh)
      for (const edge of taken(this.#trace.shape, e)) this.#editor.kernel.drop(edge.id);
    this.state.value = this.#trace.live;
    if (this.#trace.live.ended !== undefined) void this.#ended();
    return added;
  }

  link(): void {
    // What was missed comes with the next connection.
  }

  gap(): void {
    // The client fills it.
  }

  async #ended(): Promise<void> {
    if (this.state.peek().status === "succeeded") {
      try {
        this.result.value = member(await call("GET", `/api/runs/${this.id}`), "result") ?? null;
      } catch {
        // It stands on the run's page.
      }
    }
    void this.#editor.refreshSamples();
  }

  // -- the canvas

  #paint(state: RunState): void {
    const { kernel } = this.#editor;
    const waiting = standing(state.scopes);
    for (const node of this.#graph.nodes) {
      const now = state.nodes.get(node.key);
      if (now === undefined || !kernel.drawing.nodes.has(node.id)) continue;
      const held = state.test?.held?.node === node.key;
      kernel.setStatus(node.id, held ? "waiting" : drawnAs(now.status), footOf(now, held));
    }
    for (const edge of this.#graph.edges) {
      if (!kernel.drawing.edges.has(edge.id)) continue;
      kernel.setEdge(edge.id, edgeState(state, edge, this.#graph));
      const n = waiting.get(edge.id) ?? 0;
      kernel.setLabel(edge.id, n > 0 ? `● ${n}` : undefined);
    }
    const held = this.#graph.nodes.find((n) => n.key === state.test?.held?.node);
    if (held && kernel.drawing.nodes.has(held.id)) kernel.reveal([held.id], true);
  }
}

function footOf(node: NodeState, held: boolean) {
  if (held) return { left: t("rig.held"), tone: "status" as const };
  if (node.last === 0) return undefined;
  return {
    left: t(`rig.node.${node.status}`),
    right: node.took === undefined ? undefined : took(node.took),
    tone: "status" as const,
  };
}

function edgeState(state: RunState, edge: Edge, graph: Graph): EdgeState {
  if ((state.edges.get(edge.id) ?? 0) === 0) return state.ended === undefined ? "idle" : "skipped";
  const to = graph.nodes.find((n) => n.id === edge.to);
  const status = to && state.nodes.get(to.key)?.status;
  return status === "running" || status === "queued" ? "active" : "taken";
}

/** The kernel draws what undoes as work, and what is undone as canceled. */
function drawnAs(status: NodeStatus): Drawn {
  if (status === "undoing") return "running";
  return status === "undone" ? "canceled" : status;
}

/** Starts a test run of the draft and shows it on the canvas. */
export async function startTest(editor: Editor, start: TestStart): Promise<void> {
  const { run } = await editor.api.run(start.input, start.trigger, start.test);
  const detail = await call("GET", `/api/runs/${run.id}`);
  closeTest(editor);
  const test = new TestRun(editor, run.id, start, member(detail, "graph") as Graph);
  editor.session.test.value = test;
  if (editor.session.narrow.value) editor.session.inspector.value = false;
  void test.watch();
}

export function closeTest(editor: Editor): void {
  editor.session.test.peek()?.close();
  editor.session.test.value = undefined;
}
