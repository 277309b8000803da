// The canvas kernel: puts its parts together and offers them to the owner.
// See api.ts for what each member means.

import "./kernel.css";
import { lengthOf } from "../core/curve.ts";
import type { Drawing } from "../core/drawing.ts";
import type { Box, Point } from "../core/geometry.ts";
import type { Edge, Graph, Issue, Op, Spec } from "../core/graph.ts";
import { type Command, KEYMAP } from "../core/keymap.ts";
import { apply as applyOps } from "../core/ops.ts";
import type { Change } from "../core/touch.ts";
import { readingOrder } from "../core/walk.ts";
import type {
  Advise,
  Camera,
  EdgeState,
  EventOf,
  Foot,
  Ghost,
  KernelApi,
  KernelEventType,
  KernelOptions,
  NodeStatus,
  Peer,
  PortRef,
  Selection,
  SelectionIds,
  ToolName,
  Wheel,
} from "./api.ts";
import { Frame } from "./frame.ts";
import { Gestures } from "./gestures.ts";
import { Keys } from "./keys.ts";
import type { Minimap } from "./minimap.ts";
import { Pointer } from "./pointer.ts";
import { makeRoot, spriteOfPage, watch } from "./root.ts";
import { edgeMiddle, type Near, placeFor, refusal, scopeOf, targets } from "./rules.ts";
import { endsOf } from "./scene.ts";
import { Sight } from "./sight.ts";
import { type Counts, FAR, Stage } from "./stage.ts";
import type { View } from "./view.ts";

export class Kernel implements KernelApi {
  readonly root: HTMLElement;
  readonly #stage: Stage;
  readonly #sight: Sight;
  readonly #frame: Frame;
  readonly #keys: Keys;
  readonly #pointer: Pointer;
  readonly #gone = new AbortController();

  constructor(options: KernelOptions) {
    const { signal } = this.#gone;
    this.root = makeRoot(options.host);
    this.#stage = new Stage(this.root, options.icons ?? spriteOfPage(), options.still);
    const stage = this.#stage;
    stage.keymap = options.keymap ?? KEYMAP;
    stage.wheel = options.wheel ?? "auto";
    this.#sight = new Sight(stage);
    this.#frame = new Frame(stage);
    const move = (camera: Camera): void => this.#sight.go(camera, false, true);
    const gestures = new Gestures(stage, move);
    const owns = (target: EventTarget | null): boolean => this.#frame.owns(target);
    const focus = (id: string | undefined): void => this.#press(id);
    this.#pointer = new Pointer({ stage, gestures, move, focus, owns }, signal);
    this.#frame.beforePaint = () => this.#pointer.tick();
    this.#keys = new Keys(
      {
        stage,
        owns,
        pointer: this.#pointer,
        focus: (id) => this.focus(id),
        fit: (ids) => this.fit(ids),
        zoomBy: (factor) => this.zoomBy(factor),
        zoomTo: (z) => this.zoomTo(z),
        setTool: (tool) => this.setTool(tool),
      },
      signal,
    );
    this.root.addEventListener("focusin", (e) => this.#focused(e.target), { signal });
    watch(this.root, signal, {
      resized: (rect) => {
        this.#pointer.setRect(rect);
        this.#frame.resize(rect.width, rect.height);
      },
      themed: () => this.refreshTheme(),
      fonts: () => {
        stage.scene.version++; // labels are measured anew
        stage.request();
      },
    });
    // Where nothing is edited a container is opened for the eye alone.
    this.on("fold", ({ id, folded }) => {
      if (!stage.readOnly) return;
      const { w, h } = this.drawing.place(id);
      this.apply([{ op: "node.size", id, value: { w, h, folded } }]);
    });
    this.setReadOnly(options.readOnly ?? false);
  }

  // -- the drawing

  get drawing(): Drawing {
    return this.#stage.scene.drawing;
  }

  load(graph: Graph | Drawing, specs: readonly Spec[]): void {
    const stage = this.#stage;
    this.#pointer.cancel();
    this.#frame.cards.clear();
    stage.scene.load(graph, specs);
    for (const map of [stage.status, stage.edgeStates, stage.labels, stage.tokens]) map.clear();
    stage.nodeIssues.clear();
    stage.edgeIssues.clear();
    stage.focused = undefined;
    this.#frame.drops.clear();
    stage.select({});
    this.#reorder();
    stage.request();
  }

  apply(ops: readonly Change[]): readonly Op[] {
    const stage = this.#stage;
    const { drawing } = stage.scene;
    const ends = endsOf(drawing, ops);
    const inverse = applyOps(drawing, ops);
    for (const id of stage.scene.follow(ops, ends)) stage.stale.add(id);
    // A transaction gives every step in it a handle.
    if (ops.some((op) => op.path === "/transaction" || op.path?.startsWith("/config")))
      for (const id of drawing.nodes.keys()) stage.stale.add(id);
    stage.prune();
    const same = (op: Change): boolean =>
      op.op.startsWith("note.") || (op.op === "node.set" && op.path !== "/in");
    if (!ops.every(same)) this.#reorder();
    stage.request();
    return inverse;
  }

  #reorder(): void {
    this.#frame.reorder = () => readingOrder(this.drawing);
  }

  setIssues(issues: readonly Issue[]): void {
    const stage = this.#stage;
    for (const id of stage.nodeIssues.keys()) stage.stale.add(id);
    stage.changes++;
    stage.nodeIssues.clear();
    stage.edgeIssues.clear();
    for (const issue of issues) {
      if (issue.node !== undefined) {
        count(stage.nodeIssues, issue.node, issue);
        stage.stale.add(issue.node);
      }
      if (issue.edge !== undefined) count(stage.edgeIssues, issue.edge, issue);
    }
    stage.request();
  }

  spec(kind: string): Spec | undefined {
    return this.#stage.scene.spec(kind);
  }

  setReadOnly(readOnly: boolean): void {
    const stage = this.#stage;
    if (readOnly) this.#pointer.cancel();
    stage.readOnly = readOnly;
    this.root.classList.toggle("k-editable", !readOnly);
    for (const id of this.drawing.nodes.keys()) stage.stale.add(id);
    stage.request();
  }

  destroy(): void {
    this.#gone.abort();
    this.#frame.destroy();
    this.#stage.emitter.clear();
    this.root.remove();
  }

  on<T extends KernelEventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
    return this.#stage.emitter.on(type, listener);
  }

  // -- camera

  get camera(): Camera {
    return this.#stage.view.camera;
  }

  setCamera(camera: Camera, animate = false): void {
    this.#sight.go(camera, animate, false);
  }

  fit(ids?: Iterable<string>, animate = true): void {
    this.#sight.fit(ids, animate);
  }

  reveal(ids: Iterable<string>, animate = true): void {
    this.#sight.reveal(ids, animate);
  }

  zoomBy(factor: number, at?: Point): void {
    this.#sight.zoomBy(factor, at);
  }

  zoomTo(z: number, animate = true): void {
    this.#sight.zoomTo(z, animate);
  }

  setInsets(insets: Partial<View["insets"]>): void {
    Object.assign(this.#stage.view.insets, insets);
  }

  toWorld(screen: Point): Point {
    return this.#stage.view.toWorld(screen);
  }

  toScreen(world: Point): Point {
    return this.#stage.view.toScreen(world);
  }

  center(): Point {
    return this.#stage.view.center();
  }

  setWheel(wheel: Wheel): void {
    this.#stage.wheel = wheel;
  }

  setTool(tool: ToolName): void {
    if (this.#stage.tool === tool) return;
    this.#stage.tool = tool;
    this.#pointer.refreshCursor();
    this.#stage.emit({ type: "tool", tool });
  }

  // -- selection and focus

  get selection(): Selection {
    return this.#stage.selection;
  }

  select(ids: SelectionIds, add = false): void {
    this.#stage.select(ids, add);
  }

  get focused(): string | undefined {
    return this.#stage.focused;
  }

  focus(id: string, quiet = false): void {
    if (!this.drawing.nodes.has(id)) return;
    this.#stage.setFocused(id);
    this.reveal([id]);
    if (!quiet) this.focusCanvas();
  }

  focusCanvas(): void {
    this.#frame.now();
    const { focused } = this.#stage;
    const card = focused === undefined ? undefined : this.#frame.cards.element(focused);
    (card ?? this.root).focus({ preventScroll: true });
  }

  // Where the pointer went down. On the ground no card has the keyboard any
  // more: Delete must not reach one that is not selected.
  #press(id: string | undefined): void {
    this.#stage.setFocused(id !== undefined && this.drawing.nodes.has(id) ? id : undefined);
    this.focusCanvas();
  }

  // Focus also comes by the Tab key, or from a screen reader.
  #focused(target: EventTarget | null): void {
    const id = target instanceof HTMLElement ? target.dataset["id"] : undefined;
    if (id !== undefined && this.drawing.nodes.has(id)) this.#stage.setFocused(id);
  }

  run(command: Command): void {
    this.#keys.run(command);
  }

  // -- geometry for floating parts

  screenBox(id: string): Box | undefined {
    const { scene, view } = this.#stage;
    const box = scene.box(id) ?? scene.notes.get(id);
    return box === undefined ? undefined : view.boxToScreen(box);
  }

  worldBox(id: string): Box | undefined {
    return this.#stage.scene.box(id);
  }

  edgeMiddle(id: string): Point | undefined {
    const at = edgeMiddle(this.#stage, id);
    return at === undefined ? undefined : this.toScreen(at);
  }

  placeFor(spec: Spec, near?: Near): Point {
    return placeFor(this.#stage, spec, near);
  }

  scopeFor(near: Near): string | undefined {
    return scopeOf(this.#stage, near);
  }

  targets(from: PortRef): readonly { readonly id: string; readonly distance: number }[] {
    return targets(this.#stage, from);
  }

  refusal(from: PortRef, to: string, edge?: string): string | undefined {
    return refusal(this.#stage, from, to, edge);
  }

  // -- previews

  setGhost(ghost: Ghost | undefined): void {
    const stage = this.#stage;
    stage.ghost = ghost;
    stage.loose = undefined;
    stage.landing = ghost?.edge;
    stage.request();
  }

  previewEdge(edge: Omit<Edge, "id"> | undefined): void {
    const stage = this.#stage;
    const a = edge === undefined ? undefined : stage.scene.out(edge.from, edge.port);
    const b = edge === undefined ? undefined : stage.scene.in(edge.to);
    stage.loose = a === undefined || b === undefined ? undefined : { a, b, joined: true };
    stage.request();
  }

  dropPreview(): void {
    this.#stage.clearPreview();
  }

  setMarks(marks: ReadonlyMap<string, "added" | "changed" | "removed">): void {
    const stage = this.#stage;
    for (const id of [...stage.marks.keys(), ...marks.keys()]) stage.stale.add(id);
    stage.marks = marks;
    stage.request();
  }

  setAdvice(advise: Advise): void {
    this.#stage.advise = advise;
  }

  setBreaks(ids: ReadonlySet<string>): void {
    const stage = this.#stage;
    for (const id of [...stage.breaks, ...ids]) stage.stale.add(id);
    stage.breaks = ids;
    stage.request();
  }

  // -- status

  setStatus(id: string, status: NodeStatus, foot?: Foot | string, progress?: number): void {
    const stage = this.#stage;
    const line = typeof foot === "string" ? { left: foot } : foot;
    stage.status.set(id, { status, foot: line, progress });
    stage.changes++;
    stage.stale.add(id);
    // A foot that comes or goes changes the card's height: nothing on the
    // canvas hangs on that, except the cards that are painted on it.
    stage.scene.setFoot(id, line !== undefined);
    if (stage.view.camera.z < FAR) stage.request();
    else stage.requestCards();
  }

  setEdge(id: string, state: EdgeState): void {
    const edge = this.drawing.edges.get(id);
    if (edge === undefined) return;
    this.#stage.edgeStates.set(id, state);
    this.#stage.stale.add(edge.from);
    this.#stage.request();
  }

  setLabel(edge: string, text: string | undefined): void {
    if (text === undefined) this.#stage.labels.delete(edge);
    else this.#stage.labels.set(edge, text);
    this.#stage.request();
  }

  setTokens(edge: string, count: number): void {
    if (count > 0) this.#stage.tokens.set(edge, count);
    else this.#stage.tokens.delete(edge);
    this.#stage.request();
  }

  drop(edge: string): void {
    const line = this.#stage.scene.lines.get(edge);
    if (line === undefined || this.#stage.still || document.hidden) return;
    this.#frame.drops.add(edge, lengthOf(line.curve), performance.now());
    this.#stage.request();
  }

  clearStatus(): void {
    const stage = this.#stage;
    for (const id of this.drawing.nodes.keys()) stage.stale.add(id);
    for (const map of [stage.status, stage.edgeStates, stage.labels, stage.tokens]) map.clear();
    stage.changes++;
    stage.scene.clearFeet();
    this.#frame.drops.clear();
    stage.request();
  }

  follow(ids: Iterable<string> | undefined): void {
    this.#sight.follow(ids);
  }

  // -- other people, overview

  setPeers(peers: readonly Peer[]): void {
    this.#stage.peers = peers;
    this.#stage.request();
    if (peers.length === 0 || this.#frame.peers !== undefined) return;
    void import("./peers.ts").then(({ Peers }) => {
      this.#frame.peers ??= new Peers(this.#stage);
      this.#stage.request();
    });
  }

  attachMinimap(canvas: HTMLCanvasElement): () => void {
    let map: Minimap | undefined;
    let gone = false;
    // The overview is no part of the first paint.
    void import("./minimap.ts").then((loaded) => {
      if (gone) return;
      map = new loaded.Minimap(this.#stage, canvas, (c) => this.#sight.go(c, false, true));
      this.#frame.minimap = map;
      this.#stage.request();
    });
    return () => {
      gone = true;
      map?.destroy();
      if (this.#frame.minimap === map) this.#frame.minimap = undefined;
    };
  }

  refreshTheme(): void {
    this.#stage.refreshTheme();
  }
}

function count(into: Map<string, Counts>, id: string, issue: Issue): void {
  const { errors, warnings } = into.get(id) ?? { errors: 0, warnings: 0 };
  const bad = issue.severity === "error";
  into.set(id, { errors: errors + (bad ? 1 : 0), warnings: warnings + (bad ? 0 : 1) });
}
