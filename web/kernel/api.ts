// What the canvas kernel offers. The editor, the run view and the share page
// use exactly this; everything else in this folder is the kernel's own.
//
// The kernel draws a drawing and tells what a person wants to do with it. It
// never changes the drawing by itself: a gesture ends in an event (a "move",
// a "connect", …), the owner turns the event into operations and gives these
// to apply(). What a gesture shows while it lasts is a preview of the
// kernel's own.
//
// Coordinates: "world" is the drawing's; "screen" is CSS pixels from the
// canvas's upper left corner. screen = world * camera.z + (camera.x, camera.y).

import type { Drawing } from "../core/drawing.ts";
import type { Box, Point } from "../core/geometry.ts";
import type { Edge, Graph, Issue, Op, Spec } from "../core/graph.ts";
import type { Command } from "../core/keymap.ts";
import type { Change } from "../core/touch.ts";

export type KernelOptions = {
  /** The element to fill. It becomes the canvas's application region. */
  readonly host: HTMLElement;
  /** No edits: selecting, panning and looking only. */
  readonly readOnly?: boolean | undefined;
  /** The address of the icon sprite; the default is the page's meta sb-icons. */
  readonly icons?: string | undefined;
  /** Keys of the canvas; the default is the list in core/keymap.ts. */
  readonly keymap?: Readonly<Record<string, Command>> | undefined;
  /** What a mouse wheel does; "auto" tells mouse and trackpad apart. */
  readonly wheel?: Wheel | undefined;
  /** No movement, whatever the system says; absent follows the system. */
  readonly still?: boolean | undefined;
};

export type Wheel = "auto" | "pan" | "zoom";

export type Camera = { readonly x: number; readonly y: number; readonly z: number };

/** "select" drags a marquee on empty ground, "hand" pans. */
export type ToolName = "select" | "hand" | "area";

export type Selection = {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  readonly notes: ReadonlySet<string>;
};

export type SelectionIds = {
  readonly nodes?: Iterable<string> | undefined;
  readonly edges?: Iterable<string> | undefined;
  readonly notes?: Iterable<string> | undefined;
};

export type NodeStatus =
  | "idle"
  | "queued"
  | "running"
  | "waiting"
  | "done"
  | "failed"
  | "canceled"
  | "skipped";

export type EdgeState = "idle" | "taken" | "active" | "skipped";

/** The line under a card: left and right; tone colors the left one. */
export type Foot = {
  readonly left: string;
  readonly right?: string | undefined;
  readonly tone?: "plain" | "status" | undefined;
};

/** What is under a point. */
export type Target =
  | { readonly is: "ground" }
  | { readonly is: "node"; readonly id: string }
  | { readonly is: "port"; readonly id: string; readonly port: string }
  | { readonly is: "input"; readonly id: string }
  | { readonly is: "edge"; readonly id: string }
  | { readonly is: "note"; readonly id: string };

/** A port that a new step would hang on. */
export type PortRef = { readonly node: string; readonly port: string };

/** Why two should not be joined, as a sentence; undefined: nothing speaks against it. */
export type Advise = (from: PortRef, to: string) => string | undefined;

export type Ghost = {
  readonly spec: Spec;
  readonly title?: string | undefined;
  /** Upper left corner in the world. */
  readonly at: Point;
  /** Draw an edge from here to the ghost. */
  readonly from?: PortRef | undefined;
  /** Draw the ghost as lying on this edge. */
  readonly edge?: string | undefined;
};

export type Peer = {
  readonly id: string;
  readonly name: string;
  /** Any CSS color. */
  readonly color: string;
  /** World position of the pointer; absent: not on the canvas. */
  readonly at?: Point | undefined;
  /** Ids of nodes that this person has selected. */
  readonly selection?: readonly string[] | undefined;
};

/**
 * Everything the kernel tells. on("move", …) listens to one type.
 * Those marked "edit" propose a change and never come in read-only mode.
 */
export type KernelEvent =
  /** Edit: the selection was dragged or moved by keys; whole pixels. */
  | {
      readonly type: "move";
      readonly nodes: readonly string[];
      readonly notes: readonly string[];
      readonly dx: number;
      readonly dy: number;
      /**
       * The outermost ones go into this container; "" is out of all, undefined:
       * they stay where they stand. The content of containers is among the nodes.
       */
      readonly into?: string | undefined;
    }
  /** Edit: Alt-drag; copies are wanted at the distance. */
  | {
      readonly type: "duplicate";
      readonly nodes: readonly string[];
      readonly notes: readonly string[];
      readonly dx: number;
      readonly dy: number;
      readonly into?: string | undefined;
    }
  /** Edit: a new edge. */
  | { readonly type: "connect"; readonly from: string; readonly port: string; readonly to: string }
  /** Edit: an end of an edge was put elsewhere. These are all three values of the edge. */
  | {
      readonly type: "reconnect";
      readonly edge: string;
      readonly from: string;
      readonly port: string;
      readonly to: string;
    }
  /**
   * Edit: an edge was let go over empty ground. "from" is set when its start
   * is fixed, "to" when its end is; "edge" when an edge that exists was torn off.
   * The preview stays until setGhost(), dropPreview() or the next gesture.
   */
  | {
      readonly type: "connectDropped";
      readonly at: Point;
      readonly from?: PortRef | undefined;
      readonly to?: string | undefined;
      readonly edge?: string | undefined;
    }
  /** Edit: let go over something that cannot be joined; why is a sentence. */
  | {
      readonly type: "connectRefused";
      readonly from: PortRef | undefined;
      readonly to: string;
      readonly why: string;
    }
  /** Edit: one step was laid on an edge: move it there and split the edge. */
  | {
      readonly type: "insert";
      readonly node: string;
      readonly edge: string;
      readonly dx: number;
      readonly dy: number;
    }
  /** Edit: a new step is wanted: double click, a plus button, or the key. */
  | {
      readonly type: "quickAdd";
      readonly at: Point;
      readonly from?: PortRef | undefined;
      readonly edge?: string | undefined;
      /** Into this container, which is empty. */
      readonly within?: string | undefined;
      readonly by: "pointer" | "plus" | "key";
    }
  /** Edit: Delete; rejoin: also join what a deleted line connected. */
  | {
      readonly type: "delete";
      readonly nodes: readonly string[];
      readonly edges: readonly string[];
      readonly notes: readonly string[];
      readonly rejoin: boolean;
    }
  /** Edit: a note was resized. */
  | { readonly type: "resizeNote"; readonly id: string; readonly box: Box }
  /** Edit: a frame was stretched by its border. */
  | { readonly type: "resizeFrame"; readonly id: string; readonly box: Box }
  /** A container is to be folded to a card, or opened; in read-only mode it is done already. */
  | { readonly type: "fold"; readonly id: string; readonly folded: boolean }
  /** Edit: a note's text is to be edited (double click, Enter). */
  | { readonly type: "editNote"; readonly id: string }
  /** Edit: F2 or a double click on a title. */
  | { readonly type: "rename"; readonly id: string }
  /** Enter or a double click: show the step's settings. */
  | { readonly type: "open"; readonly id: string }
  /** A key whose work is the owner's (undo, palette, tidy, connect, …). */
  | { readonly type: "command"; readonly command: Command; readonly at: Point }
  /** Cut, copy or paste happened on the canvas; fill or read data, then preventDefault. */
  | {
      readonly type: "clipboard";
      readonly action: "cut" | "copy" | "paste";
      readonly event: ClipboardEvent;
      readonly at: Point;
      readonly keepLinks: boolean;
    }
  /** Something was dragged from outside and dropped here. */
  | {
      readonly type: "drop";
      readonly data: DataTransfer;
      readonly at: Point;
      readonly target: Target;
    }
  /** Secondary click, long press or the menu key. Screen point. */
  | { readonly type: "menu"; readonly target: Target; readonly at: Point; readonly screen: Point }
  | { readonly type: "selection"; readonly selection: Selection }
  | { readonly type: "focus"; readonly id: string | undefined }
  /** The camera moved; manual: by the person's hand. */
  | { readonly type: "camera"; readonly camera: Camera; readonly manual: boolean }
  /** The pointer is over something else now. Screen point. */
  | { readonly type: "hover"; readonly target: Target; readonly screen: Point }
  /** The pointer's place in the world, at most once a frame; for presence. */
  | { readonly type: "pointer"; readonly at: Point | undefined }
  /** A gesture begins or ends: hide and show floating toolbars. */
  | { readonly type: "gesture"; readonly active: boolean }
  | { readonly type: "tool"; readonly tool: ToolName }
  /** follow() stopped because the person panned. */
  | { readonly type: "followStopped" };

export type KernelEventType = KernelEvent["type"];

export type EventOf<T extends KernelEventType> = Extract<KernelEvent, { readonly type: T }>;

/** The surface of class Kernel (kernel.ts): `new Kernel(options)`. */
export type KernelApi = {
  /** The region of the canvas; positioned children may be put into it. */
  readonly root: HTMLElement;

  // -- the drawing

  /** What is drawn. Read it freely; change it through apply only. */
  readonly drawing: Drawing;
  /** Shows a drawing. Selection, statuses and previews start anew. */
  load(graph: Graph | Drawing, specs: readonly Spec[]): void;
  /** Applies operations to the drawing, all or none, and returns what undoes them. Throws OpError. */
  apply(ops: readonly Change[]): readonly Op[];
  /** Badges of the problems, by node and edge. */
  setIssues(issues: readonly Issue[]): void;
  /** A specification by the name of the kind. */
  spec(kind: string): Spec | undefined;
  /** No edits from now on, or edits again. */
  setReadOnly(readOnly: boolean): void;
  /** Stops everything and empties the host. */
  destroy(): void;

  // -- events

  /** Listens; the result stops listening. */
  on<T extends KernelEventType>(type: T, listener: (event: EventOf<T>) => void): () => void;

  // -- camera

  readonly camera: Camera;
  setCamera(camera: Camera, animate?: boolean): void;
  /** Shows all, or these, as large as they go up to 100 %. */
  fit(ids?: Iterable<string>, animate?: boolean): void;
  /** Pans as little as needed so that these are in view. */
  reveal(ids: Iterable<string>, animate?: boolean): void;
  /** Multiplies the zoom around a screen point (default: the middle). */
  zoomBy(factor: number, at?: Point): void;
  zoomTo(z: number, animate?: boolean): void;
  /** Room taken by panels that lie over the canvas; fit and reveal keep out of it. */
  setInsets(insets: {
    readonly left?: number;
    readonly right?: number;
    readonly top?: number;
    readonly bottom?: number;
  }): void;
  toWorld(screen: Point): Point;
  toScreen(world: Point): Point;
  /** The world point in the middle of what is seen. */
  center(): Point;
  setWheel(wheel: Wheel): void;
  setTool(tool: ToolName): void;

  // -- selection and focus

  readonly selection: Selection;
  select(ids: SelectionIds, add?: boolean): void;
  /** The focused card (roving focus). */
  readonly focused: string | undefined;
  /** Focuses a card, brings it into view, and gives it the keyboard unless quiet. */
  focus(id: string, quiet?: boolean): void;
  /** Gives the keyboard to the canvas: the focused card or the region. */
  focusCanvas(): void;
  /** Runs a command as its key would. */
  run(command: Command): void;

  // -- geometry for floating parts

  /** The card or note on the screen; undefined when there is none. */
  screenBox(id: string): Box | undefined;
  /** The card's box in the world. */
  worldBox(id: string): Box | undefined;
  /** The middle of an edge on the screen. */
  edgeMiddle(id: string): Point | undefined;
  /** Where a new step would go so that it lies free: after a port, on an edge, or in the middle. */
  placeFor(
    spec: Spec,
    near?: {
      readonly from?: PortRef | undefined;
      readonly edge?: string | undefined;
      readonly at?: Point | undefined;
      readonly within?: string | undefined;
    },
  ): Point;
  /** The container that such a step would stand in; undefined: the workflow itself. */
  scopeFor(near: {
    readonly from?: PortRef | undefined;
    readonly edge?: string | undefined;
    readonly at?: Point | undefined;
    readonly within?: string | undefined;
  }): string | undefined;
  /** Nodes that the port may be joined to, nearest first. */
  targets(from: PortRef): readonly { readonly id: string; readonly distance: number }[];
  /** Why the two cannot be joined, as a sentence; undefined: they can. */
  refusal(from: PortRef, to: string, edge?: string): string | undefined;

  // -- previews

  /** A step that may be added; undefined takes it away. */
  setGhost(ghost: Ghost | undefined): void;
  /** An edge that may be added (keyboard connecting); undefined takes it away. */
  previewEdge(edge: Omit<Edge, "id"> | undefined): void;
  /** What is said beside the pointer of two that may be joined, but should not be. */
  setAdvice(advise: Advise): void;
  /** Takes every preview away, also the loose end of connectDropped. */
  dropPreview(): void;
  /** Outlines for a comparison of versions. */
  setMarks(marks: ReadonlyMap<string, "added" | "changed" | "removed">): void;
  /** Steps that a test run is held before. */
  setBreaks(ids: ReadonlySet<string>): void;

  // -- status (runs)

  /** The state of a node; foot undefined keeps no line. Progress is 0..1. */
  setStatus(id: string, status: NodeStatus, foot?: Foot | string, progress?: number): void;
  setEdge(id: string, state: EdgeState): void;
  /** The pill on an edge: a count, a rate, a word; undefined: none. */
  setLabel(edge: string, text: string | undefined): void;
  /** Tokens that wait at the end of an edge; 0: none. */
  setTokens(edge: string, count: number): void;
  /** One drop runs along the edge. More than three at a time show as a rate. */
  drop(edge: string): void;
  /** All nodes and edges idle, no labels, no drops. */
  clearStatus(): void;
  /** Keeps these in view until the person pans; undefined stops. */
  follow(ids: Iterable<string> | undefined): void;

  // -- other people, overview

  setPeers(peers: readonly Peer[]): void;
  /** Draws the overview into a canvas and lets it be dragged; the result detaches it. */
  attachMinimap(canvas: HTMLCanvasElement): () => void;
  /** The theme changed by other means than data-theme or the system. */
  refreshTheme(): void;
};
