// On narrow screens the inspector is a sheet over the canvas, and below the
// width of a tablet nothing is edited.

import { effect } from "@preact/signals";
import type { Editor } from "../state/editor.ts";

const sheetBelow = 1_100;
const readOnlyBelow = 720;

export function watchWidth(editor: Editor): void {
  const { session, kernel } = editor;
  const sheet = window.matchMedia(`(max-width: ${sheetBelow - 1}px)`);
  const small = window.matchMedia(`(max-width: ${readOnlyBelow - 1}px)`);
  const mayEdit = editor.props.version === undefined && editor.props.user?.role !== "viewer";
  const apply = () => {
    session.readOnly.value = small.matches || !mayEdit;
    session.narrow.value = sheet.matches;
  };
  if (sheet.matches) session.inspector.value = false;
  sheet.addEventListener("change", apply);
  small.addEventListener("change", apply);
  apply();
  // What lies over the canvas: fit and reveal keep out of it.
  effect(() => {
    const cover = session.narrow.value && session.inspector.value && !small.matches;
    kernel.setInsets({ left: 16, top: 16, bottom: 76, right: cover ? 396 : 16 });
  });
}
