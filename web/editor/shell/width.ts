// On narrow screens the inspector is a sheet over the canvas, and below the
// width of a tablet nothing is edited.

import { effect } from "@preact/signals";
import type { Editor } from "../state/editor.ts";

const sheetBelow = 1_100;
const readOnlyBelow = 720;

const widthKey = "sb-inspector";
export const widthMin = 320;
export const widthMax = 560;
export const widthDefault = 380;

/** How wide this person had the inspector. */
export function inspectorWidth(): number {
  try {
    const kept = Number(localStorage.getItem(widthKey));
    return kept >= widthMin && kept <= widthMax ? kept : widthDefault;
  } catch {
    return widthDefault;
  }
}

/** Sets and keeps the width, within its limits. */
export function keepInspectorWidth(wanted: number): number {
  const width = Math.round(Math.max(widthMin, Math.min(widthMax, wanted)));
  document.documentElement.style.setProperty("--ed-insp", `${width}px`);
  try {
    localStorage.setItem(widthKey, String(width));
  } catch {
    // The width lasts as long as the page.
  }
  return width;
}

export function watchWidth(editor: Editor): void {
  const { session, kernel } = editor;
  const sheet = window.matchMedia(`(max-width: ${sheetBelow - 1}px)`);
  const small = window.matchMedia(`(max-width: ${readOnlyBelow - 1}px)`);
  const { version, compare } = editor.props;
  const mayEdit = version === undefined && compare === undefined && mayDraw(editor);
  const apply = () => {
    session.readOnly.value = small.matches || !mayEdit;
    session.small.value = small.matches && mayEdit;
    // A sheet that nobody asked for would hide the drawing.
    if (sheet.matches && !session.narrow.value) session.inspector.value = false;
    session.narrow.value = sheet.matches;
  };
  document.documentElement.style.setProperty("--ed-insp", `${inspectorWidth()}px`);
  sheet.addEventListener("change", apply);
  small.addEventListener("change", apply);
  apply();
  // What lies over the canvas: fit and reveal keep out of it.
  effect(() => {
    const cover = session.narrow.value && session.inspector.value && !small.matches;
    kernel.setInsets({ left: 16, top: 16, bottom: 76, right: cover ? 396 : 16 });
  });
}

/** Whether the person's role may change drawings. */
export function mayDraw(editor: Editor): boolean {
  const role = editor.props.user?.role;
  return role !== "viewer" && role !== "operator";
}
