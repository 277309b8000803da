// The gestures of the canvas as a pure state machine: what the hand does goes
// in, the next state and what should happen come out. The kernel finds what
// is under the pointer and carries the effects out.

import type { Point } from "./geometry.ts";
import type { Effect, Fixed, Input, Modifiers, Rules, Target, Tool, Turn } from "./gesture.ts";

type Down = Extract<Input, { is: "down" }>;
type Move = Extract<Input, { is: "move" }>;
type Up = Extract<Input, { is: "up" }>;
type State<Is extends Tool["is"]> = Extract<Tool, { is: Is }>;

export const IDLE: Tool = { is: "idle" };

/** Screen pixels that the pointer has to go before a press becomes a drag. */
const THRESHOLD = { mouse: 3, touch: 9 } as const;

const nothing: readonly Effect[] = [];

export function next(tool: Tool, input: Input, rules: Rules): Turn {
  switch (input.is) {
    case "down":
      return down(tool, input, rules);
    case "move":
      return move(tool, input, rules);
    case "up":
      return up(tool, input);
    case "held":
      return held(tool, input.long);
    case "lay":
      return tool.is === "drag"
        ? { tool: { ...tool, edge: input.edge }, effects: nothing }
        : still(tool);
    case "cancel":
      return tool.is === "idle" ? still(tool) : { tool: IDLE, effects: [{ do: "revert" }] };
  }
}

function still(tool: Tool): Turn {
  return { tool, effects: nothing };
}

function down(tool: Tool, input: Down, rules: Rules): Turn {
  if (tool.is === "connect" && tool.tapped) return finishTap(tool, input);
  if (tool.is !== "idle") return second(tool, input);
  const { pointer, touch, target, at, world, mods, selected, area } = input;
  if (input.button === 1 || (input.hand && input.button === 0)) {
    return still({ is: "pan", pointer, last: at });
  }
  if (input.button !== 0) {
    // The menu acts on what is under the pointer, or on the whole selection.
    return { tool, effects: selected ? nothing : [{ do: "select", target, how: "only" }] };
  }
  const press: Tool = {
    is: "press",
    pointer,
    touch,
    target,
    at,
    world,
    mods,
    selected,
    ripe: false,
    area,
  };
  const effects: Effect[] = touch === "touch" ? [{ do: "hold" }] : [];
  const grips =
    !rules.readOnly && (target.is === "port" || target.is === "input" || isCorner(target));
  // A card that is not selected yet is selected at once, so that it can be dragged.
  if (touch === "mouse" && !grips && !selected && !adds(mods) && target.is !== "ground") {
    effects.push({ do: "select", target, how: "only" });
  }
  return { tool: press, effects };
}

function adds(mods: Modifiers): boolean {
  return mods.shift || mods.mod;
}

function isCorner(target: Target): boolean {
  if (target.is === "node") return target.grip !== undefined;
  return target.is === "note" && target.corner === true;
}

/** Another finger or button while a gesture lasts. */
function second(tool: Tool, input: Down): Turn {
  if (input.touch !== "touch" || (tool.is !== "press" && tool.is !== "pan")) return still(tool);
  const a = { pointer: tool.pointer, at: tool.is === "press" ? tool.at : tool.last };
  return still({ is: "pinch", a, b: { pointer: input.pointer, at: input.at } });
}

function finishTap(tool: State<"connect">, input: Down): Turn {
  const { fixed, edge } = tool;
  return {
    tool: IDLE,
    effects: [{ do: "connectEnd", fixed, edge, over: input.target, at: input.world }],
  };
}

/** The gesture belongs to another finger or button. */
function isForeign(tool: Tool, pointer: number): boolean {
  if (tool.is === "idle" || tool.is === "pinch") return false;
  // Between two taps every pointer leads the loose end.
  return tool.pointer !== pointer && !(tool.is === "connect" && tool.tapped);
}

function move(tool: Tool, input: Move, rules: Rules): Turn {
  if (isForeign(tool, input.pointer)) return still(tool);
  switch (tool.is) {
    case "idle":
      return still(tool);
    case "pinch":
      return pinch(tool, input);
    case "press":
      return leave(tool, input, rules);
    case "pan":
      return {
        tool: { ...tool, last: input.at },
        effects: [{ do: "pan", ...away(tool.last, input.at) }],
      };
    case "marquee":
      return {
        tool: { ...tool, to: input.world },
        effects: [{ do: "marquee", from: tool.from, to: input.world, add: tool.add, end: false }],
      };
    case "drag":
      return dragging(tool, input);
    case "connect":
      return connecting(tool, input);
    case "resize":
      return {
        tool: { ...tool, to: input.world },
        effects: [resized(tool, input.world, false)],
      };
  }
}

function away(from: Point, to: Point): { dx: number; dy: number } {
  return { dx: to.x - from.x, dy: to.y - from.y };
}

function dragging(tool: State<"drag">, input: Move): Turn {
  const copy = input.mods.alt;
  const free = input.mods.mod;
  const to = input.world;
  return {
    tool: { ...tool, to, copy, free },
    effects: [{ do: "drag", ...away(tool.from, to), at: to, copy, free }],
  };
}

function connecting(tool: State<"connect">, input: Move): Turn {
  return {
    tool: { ...tool, to: input.world, over: input.target },
    effects: [{ do: "connecting" }],
  };
}

function pinch(tool: State<"pinch">, input: Move): Turn {
  const a = input.pointer === tool.a.pointer ? { ...tool.a, at: input.at } : tool.a;
  const b = input.pointer === tool.b.pointer ? { ...tool.b, at: input.at } : tool.b;
  const was = Math.hypot(tool.a.at.x - tool.b.at.x, tool.a.at.y - tool.b.at.y);
  const now = Math.hypot(a.at.x - b.at.x, a.at.y - b.at.y);
  const at = { x: (a.at.x + b.at.x) / 2, y: (a.at.y + b.at.y) / 2 };
  const dx = at.x - (tool.a.at.x + tool.b.at.x) / 2;
  const dy = at.y - (tool.a.at.y + tool.b.at.y) / 2;
  return {
    tool: { is: "pinch", a, b },
    effects: [{ do: "pinch", factor: was === 0 ? 1 : now / was, at, dx, dy }],
  };
}

/** The press goes past the threshold: now it is known what the gesture is. */
function leave(tool: State<"press">, input: Move, rules: Rules): Turn {
  const gone = Math.hypot(input.at.x - tool.at.x, input.at.y - tool.at.y);
  if (gone < THRESHOLD[tool.touch]) return still(tool);
  const { pointer, target } = tool;
  const grip = rules.readOnly ? undefined : gripOf(tool, input);
  if (grip !== undefined) return grip;
  const movable = !rules.readOnly && (target.is === "node" || target.is === "note");
  if (movable && (tool.touch === "mouse" || tool.ripe || tool.selected))
    return startDrag(tool, input);
  if ((tool.touch === "touch" && !tool.area) || rules.readOnly) {
    // The hand slides the paper, also where it met a card.
    return {
      tool: { is: "pan", pointer, last: input.at },
      effects: [{ do: "pan", ...away(tool.at, input.at) }],
    };
  }
  const from = tool.world;
  const to = input.world;
  const add = adds(tool.mods);
  return {
    tool: { is: "marquee", pointer, from, to, add },
    effects: [{ do: "marquee", from, to, add, end: false }],
  };
}

function startDrag(tool: State<"press">, input: Move): Turn {
  const started: Tool = {
    is: "drag",
    pointer: tool.pointer,
    from: tool.world,
    to: input.world,
    copy: false,
    free: false,
    edge: undefined,
  };
  const turn = dragging(started, input);
  if (tool.selected) return turn;
  // With Shift a card that is dragged joins the selection instead of leaving it.
  const how = adds(tool.mods) ? "toggle" : "only";
  const chosen = tool.touch === "touch" || how === "toggle";
  return chosen
    ? { ...turn, effects: [{ do: "select", target: tool.target, how }, ...turn.effects] }
    : turn;
}

/** Gestures that begin at a grip: a port, an input, an edge's end, a corner. */
function gripOf(tool: State<"press">, input: Move): Turn | undefined {
  const { pointer, target } = tool;
  if (target.is === "port")
    return connectFrom(pointer, { end: "from", id: target.id, port: target.port }, input);
  if (target.is === "input") return connectFrom(pointer, { end: "to", id: target.id }, input);
  if (target.is === "edge" && target.end !== undefined) {
    return { tool: IDLE, effects: [{ do: "tear", edge: target.id, end: target.end }] };
  }
  if (!isCorner(target) || !("id" in target)) return undefined;
  const grip = target.is === "node" ? target.grip : undefined;
  return still({ is: "resize", pointer, id: target.id, grip, from: tool.world, to: input.world });
}

function resized(tool: State<"resize">, to: Point, end: boolean): Effect {
  return { do: "resize", id: tool.id, grip: tool.grip, ...away(tool.from, to), end };
}

function connectFrom(pointer: number, fixed: Fixed, input: Move | Up): Turn {
  return {
    tool: {
      is: "connect",
      pointer,
      fixed,
      edge: undefined,
      to: input.world,
      over: input.target,
      tapped: false,
    },
    effects: [{ do: "connecting" }],
  };
}

/** The state in which an edge that exists is led elsewhere; answers "tear". */
export function torn(pointer: number, edge: string, fixed: Fixed, to: Point): Tool {
  return { is: "connect", pointer, fixed, edge, to, over: { is: "ground" }, tapped: false };
}

function up(tool: Tool, input: Up): Turn {
  if (isForeign(tool, input.pointer)) return still(tool);
  switch (tool.is) {
    case "idle":
      return still(tool);
    case "pinch": {
      const rest = input.pointer === tool.a.pointer ? tool.b : tool.a;
      return still({ is: "pan", pointer: rest.pointer, last: rest.at });
    }
    case "press":
      return click(tool, input);
    case "pan":
      return still(IDLE);
    case "marquee":
      return done({ do: "marquee", from: tool.from, to: input.world, add: tool.add, end: true });
    case "drag":
      return done({ do: "dragEnd", copy: tool.copy, edge: tool.edge });
    case "connect": {
      const { fixed, edge } = tool;
      if (tool.tapped) return still(tool);
      return done({ do: "connectEnd", fixed, edge, over: input.target, at: input.world });
    }
    case "resize":
      return done(resized(tool, input.world, true));
  }
}

function done(effect: Effect): Turn {
  return { tool: IDLE, effects: [effect] };
}

/** A press that did not move. */
function click(tool: State<"press">, input: Up): Turn {
  const { target, mods } = tool;
  if (target.is === "ground")
    return { tool: IDLE, effects: adds(mods) ? nothing : [{ do: "clear" }] };
  if (tool.touch === "touch" && target.is === "port") {
    const turn = connectFrom(
      tool.pointer,
      { end: "from", id: target.id, port: target.port },
      input,
    );
    return turn.tool.is === "connect" ? { ...turn, tool: { ...turn.tool, tapped: true } } : turn;
  }
  const how = adds(mods) ? "toggle" : "only";
  // Selected at the press already, unless it was selected before.
  return { tool: IDLE, effects: [{ do: "select", target, how }] };
}

function held(tool: Tool, long: boolean): Turn {
  if (tool.is !== "press" || tool.touch !== "touch") return still(tool);
  if (!long) return still({ ...tool, ripe: true });
  return {
    tool: IDLE,
    effects: [
      { do: "select", target: tool.target, how: "keep" },
      { do: "menu", target: tool.target, at: tool.at },
    ],
  };
}
