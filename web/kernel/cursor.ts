// The shape of the pointer.

import type { Target, Tool } from "../core/gesture.ts";

const busy: Readonly<Partial<Record<Tool["is"], string>>> = {
  pan: "grabbing",
  connect: "crosshair",
  drag: "move",
  resize: "nwse-resize",
};

export function cursorOf(tool: Tool, target: Target, hand: boolean, readOnly: boolean): string {
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
    case "ground":
      return "";
  }
}
