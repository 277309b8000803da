// The words of the canvas's gestures: what is under the pointer, what the hand
// does, what is going on, and what should happen. See tool.ts.

import type { Point } from "./geometry.ts";

/** What is under the pointer. */
export type Target =
  | { readonly is: "ground" }
  | { readonly is: "node"; readonly id: string; readonly grip?: Grip | undefined }
  | { readonly is: "port"; readonly id: string; readonly port: string }
  | { readonly is: "input"; readonly id: string }
  | { readonly is: "edge"; readonly id: string; readonly end?: "from" | "to" | undefined }
  | { readonly is: "note"; readonly id: string; readonly corner?: boolean | undefined };

/** The border of a frame that is taken: n, e, s, w or a corner. */
export type Grip = "n" | "e" | "s" | "w" | "ne" | "nw" | "se" | "sw";

export type Modifiers = {
  readonly shift: boolean;
  readonly alt: boolean;
  /** Ctrl or ⌘. */
  readonly mod: boolean;
};

export type Touch = "mouse" | "touch";

type Moment = { readonly at: Point; readonly world: Point; readonly mods: Modifiers };

export type Input =
  | (Moment & {
      readonly is: "down";
      readonly pointer: number;
      readonly touch: Touch;
      /** 0 primary, 1 middle, 2 secondary. */
      readonly button: number;
      readonly target: Target;
      /** The target is selected. */
      readonly selected: boolean;
      /** Space is held, or the hand tool is on. */
      readonly hand: boolean;
      /** The tool for choosing an area is on: a finger draws a marquee instead of panning. */
      readonly area: boolean;
    })
  | (Moment & { readonly is: "move"; readonly pointer: number; readonly target: Target })
  | (Moment & { readonly is: "up"; readonly pointer: number; readonly target: Target })
  /** The timer of the press ran out: 250 ms, then 550 ms. */
  | { readonly is: "held"; readonly long: boolean }
  /** A dragged step has lain over an edge for a while; undefined: no more. */
  | { readonly is: "lay"; readonly edge: string | undefined }
  | { readonly is: "cancel" };

/** What an edge in the making hangs on. */
export type Fixed =
  | { readonly end: "from"; readonly id: string; readonly port: string }
  | { readonly end: "to"; readonly id: string };

export type Tool =
  | { readonly is: "idle" }
  | {
      readonly is: "press";
      readonly pointer: number;
      readonly touch: Touch;
      readonly target: Target;
      readonly at: Point;
      readonly world: Point;
      readonly mods: Modifiers;
      readonly selected: boolean;
      /** A finger has rested long enough to move a card. */
      readonly ripe: boolean;
      readonly area: boolean;
    }
  | { readonly is: "pan"; readonly pointer: number; readonly last: Point }
  | {
      readonly is: "marquee";
      readonly pointer: number;
      readonly from: Point;
      readonly to: Point;
      readonly add: boolean;
    }
  | {
      readonly is: "drag";
      readonly pointer: number;
      readonly from: Point;
      readonly to: Point;
      readonly copy: boolean;
      readonly free: boolean;
      /** Lies over this edge and would split it. */
      readonly edge: string | undefined;
    }
  | {
      readonly is: "connect";
      readonly pointer: number;
      readonly fixed: Fixed;
      /** An edge that exists and was torn off. */
      readonly edge: string | undefined;
      readonly to: Point;
      readonly over: Target;
      /** Two taps instead of a drag. */
      readonly tapped: boolean;
    }
  | {
      readonly is: "resize";
      readonly pointer: number;
      readonly id: string;
      /** Of a frame; a note has its corner only. */
      readonly grip: Grip | undefined;
      readonly from: Point;
      readonly to: Point;
    }
  | { readonly is: "pinch"; readonly a: Finger; readonly b: Finger };

type Finger = { readonly pointer: number; readonly at: Point };

export type Effect =
  | { readonly do: "pan"; readonly dx: number; readonly dy: number }
  | {
      readonly do: "pinch";
      readonly factor: number;
      readonly at: Point;
      readonly dx: number;
      readonly dy: number;
    }
  | { readonly do: "select"; readonly target: Target; readonly how: "only" | "toggle" | "keep" }
  | { readonly do: "clear" }
  | {
      readonly do: "marquee";
      readonly from: Point;
      readonly to: Point;
      readonly add: boolean;
      readonly end: boolean;
    }
  | {
      readonly do: "drag";
      readonly dx: number;
      readonly dy: number;
      readonly at: Point;
      readonly copy: boolean;
      readonly free: boolean;
    }
  | {
      readonly do: "dragEnd";
      readonly copy: boolean;
      readonly edge: string | undefined;
    }
  | { readonly do: "connecting" }
  | {
      readonly do: "connectEnd";
      readonly fixed: Fixed;
      readonly edge: string | undefined;
      readonly over: Target;
      readonly at: Point;
    }
  | {
      readonly do: "resize";
      readonly id: string;
      readonly grip: Grip | undefined;
      readonly dx: number;
      readonly dy: number;
      readonly end: boolean;
    }
  | { readonly do: "menu"; readonly target: Target; readonly at: Point }
  | { readonly do: "tear"; readonly edge: string; readonly end: "from" | "to" }
  | { readonly do: "revert" }
  /** Ask back with "held" unless the press ends before. */
  | { readonly do: "hold" };

export type Rules = { readonly readOnly: boolean };

export type Turn = { readonly tool: Tool; readonly effects: readonly Effect[] };
