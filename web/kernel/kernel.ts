// The canvas kernel: puts its parts together and offers them to the owner.
// See api.ts for what each member means.

import "./kernel.css";
import type { Drawing } from "../core/drawing.ts";
import { type Box, middle, type Point, union } from "../core/geometry.ts";
import type { Edge, Graph, Issue, Op, Spec } from "../core/graph.ts";
import { type Command, KEYMAP } from "../core/keymap.ts";
import { apply as applyOps } from "../core/ops.ts";
import type { Change } from "../core/touch.ts";
import { readingOrder } from "../core/walk.ts";
import type {
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
import { Minimap } from "./minimap.ts";
import { Pointer } from "./pointer.ts";
import { edgeMiddle, type Near, placeFor, refusal, targets } from "./rules.ts";
import { type Counts, Stage } from "./stage.ts";
import type { View } from "./view.ts";
import { t } from "./words.ts";

export class Kernel implements KernelApi {
  readonly root: HTMLElement;
  readonly #stage: Stage;
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
    this.#frame = new Frame(stage);
    const move = (camera: Camera): void => this.#go(camera, false, true);
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
    this.#watch(signal);
    this.setReadOnly(options.readOnly ?? false);
  }

  #watch(signal: AbortSignal): void {
    const { root } = this;
    const resized = new ResizeObserver(() => {
      const rect = root.getBoundingClientRect();
      this.#pointer.setRect(rect);
      this.#frame.resize(rect.width, rect.height);
    });
    resized.observe(root);
    const themed = new MutationObserver(() => this.refreshTheme());
    themed.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme", "data-motion"],
    });
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => this.refreshTheme(), { signal });
    }
    // Titles on the canvas are measured with the right font once it is there.
    document.fonts.addEventListener("loadingdone", () => this.#stage.request(), { signal });
    signal.addEventListener("abort", () => {
      resized.disconnect();
      themed.disconnect();
    });
    const rect = root.getBoundingClientRect();
    this.#pointer.setRect(rect);
    this.#frame.resize(rect.width, rect.height);
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
    for (const map of [stage.status, stage.edgeStates, stage.labels]) map.clear();
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
    const ends = new Set<string>();
    for (const op of ops) {
      const edge = op.op.startsWith("edge.") ? drawing.edges.get(op.id ?? "") : undefined;
      if (edge !== undefined) ends.add(edge.from).add(edge.to);
      if (op.op !== "node.del") continue;
      for (const e of drawing.out(op.id ?? "")) ends.add(e.to);
      for (const e of drawing.into(op.id ?? "")) ends.add(e.from);
    }
    const inverse = applyOps(drawing, ops);
    for (const id of stage.scene.follow(ops, ends)) stage.stale.add(id);
    stage.prune();
    if (ops.some((op) => op.op !== "node.set" && !op.op.startsWith("note."))) this.#reorder();
    stage.request();
    return inverse;
  }

  #reorder(): void {
    this.#frame.reorder = () => readingOrder(this.drawing);
  }

  setIssues(issues: readonly Issue[]): void {
    const stage = this.#stage;
    for (const id of stage.nodeIssues.keys()) stage.stale.add(id);
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
    this.#go(camera, animate, false);
  }

  #go(camera: Camera, animate: boolean, manual: boolean): void {
    const stage = this.#stage;
    if (manual && stage.following !== undefined) {
      stage.following = undefined;
      stage.emit({ type: "followStopped" });
    }
    stage.view.go(camera, animate && !stage.still);
    stage.emit({ type: "camera", camera: stage.view.camera, manual });
    stage.request();
  }

  fit(ids?: Iterable<string>, animate = true): void {
    const { scene, view } = this.#stage;
    const wanted = [...(ids ?? [...this.drawing.nodes.keys(), ...this.drawing.notes.keys()])];
    const box = union(wanted.flatMap((id) => scene.cards.get(id) ?? scene.notes.get(id) ?? []));
    if (box !== undefined) this.#go(view.fitting(box), animate, false);
  }

  reveal(ids: Iterable<string>, animate = true): void {
    const { scene, view } = this.#stage;
    const box = union([...ids].flatMap((id) => scene.cards.get(id) ?? scene.notes.get(id) ?? []));
    if (box === undefined) return;
    const to = view.revealing(box);
    if (to.x !== view.camera.x || to.y !== view.camera.y) this.#go(to, animate, false);
  }

  zoomBy(factor: number, at?: Point): void {
    const { view } = this.#stage;
    this.#go(view.zoomed(view.goal.z * factor, at ?? middle(view.open)), at === undefined, true);
  }

  zoomTo(z: number, animate = true): void {
    const { view } = this.#stage;
    this.#go(view.zoomed(z, middle(view.open)), animate, true);
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
    this.#setFocused(id);
    this.reveal([id]);
    if (!quiet) this.focusCanvas();
  }

  focusCanvas(): void {
    this.#frame.now();
    const { focused } = this.#stage;
    const card = focused === undefined ? undefined : this.#frame.cards.element(focused);
    (card ?? this.root).focus({ preventScroll: true });
  }

  // Where the pointer went down.
  #press(id: string | undefined): void {
    if (id !== undefined && this.drawing.nodes.has(id)) this.#setFocused(id);
    this.focusCanvas();
  }

  #setFocused(id: string): void {
    if (this.#stage.focused === id) return;
    this.#stage.focused = id;
    this.#stage.request();
    this.#stage.emit({ type: "focus", id });
  }

  // Focus also comes by the Tab key, or from a screen reader.
  #focused(target: EventTarget | null): void {
    const id = target instanceof HTMLElement ? target.dataset["id"] : undefined;
    if (id !== undefined && this.drawing.nodes.has(id)) this.#setFocused(id);
  }

  run(command: Command): void {
    this.#keys.run(command);
  }

  // -- geometry for floating parts

  screenBox(id: string): Box | undefined {
    const { scene, view } = this.#stage;
    const box = scene.cards.get(id) ?? scene.notes.get(id);
    return box === undefined ? undefined : view.boxToScreen(box);
  }

  worldBox(id: string): Box | undefined {
    return this.#stage.scene.cards.get(id);
  }

  edgeMiddle(id: string): Point | undefined {
    const at = edgeMiddle(this.#stage, id);
    return at === undefined ? undefined : this.toScreen(at);
  }

  placeFor(spec: Spec, near?: Near): Point {
    return placeFor(this.#stage, spec, near);
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

  // -- status

  setStatus(id: string, status: NodeStatus, foot?: Foot | string, progress?: number): void {
    const stage = this.#stage;
    const line = typeof foot === "string" ? { left: foot } : foot;
    stage.status.set(id, { status, foot: line, progress });
    stage.scene.setFoot(id, line !== undefined);
    stage.stale.add(id);
    stage.request();
  }

  setEdge(id: string, state: EdgeState): void {
    this.#stage.edgeStates.set(id, state);
    this.#stage.request();
  }

  setLabel(edge: string, text: string | undefined): void {
    if (text === undefined) this.#stage.labels.delete(edge);
    else this.#stage.labels.set(edge, text);
    this.#stage.request();
  }

  drop(edge: string): void {
    if (this.#stage.still || document.hidden) return;
    this.#frame.drops.add(edge, performance.now());
    this.#stage.request();
  }

  clearStatus(): void {
    const stage = this.#stage;
    for (const id of stage.status.keys()) stage.stale.add(id);
    for (const map of [stage.status, stage.edgeStates, stage.labels]) map.clear();
    stage.scene.clearFeet();
    this.#frame.drops.clear();
    stage.request();
  }

  follow(ids: Iterable<string> | undefined): void {
    const stage = this.#stage;
    stage.following = ids === undefined ? undefined : new Set(ids);
    if (stage.following === undefined) return;
    const { scene, view } = stage;
    const box = union([...stage.following].flatMap((id) => scene.cards.get(id) ?? []));
    if (box === undefined) return;
    const fits = box.w * view.camera.z <= view.open.w && box.h * view.camera.z <= view.open.h;
    this.#go(fits ? view.revealing(box) : view.fitting(box), true, false);
  }

  // -- other people, overview

  setPeers(peers: readonly Peer[]): void {
    this.#stage.peers = peers;
    this.#stage.request();
  }

  attachMinimap(canvas: HTMLCanvasElement): () => void {
    const map = new Minimap(this.#stage, canvas, (camera) => this.#go(camera, false, true));
    this.#frame.minimap = map;
    this.#stage.request();
    return () => {
      map.destroy();
      if (this.#frame.minimap === map) this.#frame.minimap = undefined;
    };
  }

  refreshTheme(): void {
    this.#stage.refreshTheme();
  }
}

function makeRoot(host: HTMLElement): HTMLElement {
  const root = document.createElement("div");
  root.className = "k-root";
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", t("kernel.canvas.role"));
  root.setAttribute("aria-label", t("kernel.canvas"));
  host.append(root);
  return root;
}

function spriteOfPage(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]');
  return meta?.content ?? "/static/dist/icons.svg";
}

function count(into: Map<string, Counts>, id: string, issue: Issue): void {
  const { errors, warnings } = into.get(id) ?? { errors: 0, warnings: 0 };
  const bad = issue.severity === "error";
  into.set(id, { errors: errors + (bad ? 1 : 0), warnings: warnings + (bad ? 0 : 1) });
}
