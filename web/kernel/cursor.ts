// The shape of the pointer.

import type { Target, Tool } from "../core/gesture.ts";

export function cursorOf(tool: Tool, target: Target, hand: boolean, readOnly: boolean): string {
  if (tool.is === "pan") return "grabbing";
  if (tool.is === "connect") return "crosshair";
  if (tool.is === "drag") return "move";
  if (tool.is === "resize") return "nwse-resize";
  if (hand) return "grab";
  if (readOnly) return target.is === "node" || target.is === "edge" ? "pointer" : "grab";
  if (target.is === "port" || target.is === "input") return "crosshair";
  if (target.is === "edge") return target.end === undefined ? "pointer" : "crosshair";
  return target.is === "note" && target.corner === true ? "nwse-resize" : "";
}
