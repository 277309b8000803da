// Copies of steps. Their code is loaded with the first one.

import type { Clip } from "../../core/clip.ts";
import type { Point } from "../../core/geometry.ts";
import type { Editor } from "../state/editor.ts";

export async function pasteClip(
  editor: Editor,
  clip: Clip,
  where: { readonly at: Point; readonly keepLinks: boolean },
): Promise<void> {
  const paste = await import("./paste.ts");
  paste.pasteClip(editor, clip, where);
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
