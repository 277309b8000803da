// The shape of the pointer.

import type { Grip, Target, Tool } from "../core/gesture.ts";

const busy: Readonly<Partial<Record<Tool["is"], string>>> = {
  pan: "grabbing",
  connect: "crosshair",
  drag: "move",
  resize: "nwse-resize",
};

const gripCursor: Readonly<Record<Grip, string>> = {
  n: "ns-resize",
  s: "ns-resize",
  e: "ew-resize",
  w: "ew-resize",
  ne: "nesw-resize",
  sw: "nesw-resize",
  nw: "nwse-resize",
  se: "nwse-resize",
};

export function cursorOf(tool: Tool, target: Target, hand: boolean, readOnly: boolean): string {
  if (tool.is === "resize" && tool.grip !== undefined) return gripCursor[tool.grip];
  const during = busy[tool.is];
  if (during !== undefined) return during;
  if (hand) return "grab";
  if (readOnly) return target.is === "node" || target.is === "edge" ? "pointer" : "grab";
  return over(target);
}

function over(target: Target): string {
  switch (target.is) {
    case "port":
    case "input":
      return "crosshair";
    case "edge":
      return target.end === undefined ? "pointer" : "crosshair";
    case "note":
      return target.corner === true ? "nwse-resize" : "";
    case "node":
      return target.grip === undefined ? "" : gripCursor[target.grip];
    case "ground":
      return "";
  }
}
