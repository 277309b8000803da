// Copies of steps, and what comes from outside. Their code is loaded with the
// first one.

import type { Point } from "../../core/geometry.ts";
import type { Editor } from "../state/editor.ts";

type Outside = typeof import("./outside.ts");

export async function outside(work: (m: Outside) => Promise<void> | void): Promise<void> {
  await work(await import("./outside.ts"));
}

export async function duplicate(
  editor: Editor,
  nodes: Iterable<string>,
  notes: Iterable<string>,
  by: Point,
  into?: string,
): Promise<void> {
  const paste = await import("./paste.ts");
  paste.duplicate(editor, nodes, notes, by, into);
}
