// The keys of the canvas. A combination is written "mod+shift+z": mod is ⌘ on
// a Mac and Ctrl elsewhere. The names follow KeyboardEvent.key in small
// letters, without what Shift does to a sign: see comboOf.

export type Command =
  // done by the kernel
  | "focusLeft"
  | "focusRight"
  | "focusUp"
  | "focusDown"
  | "followDown"
  | "followUp"
  | "nudgeLeft"
  | "nudgeRight"
  | "nudgeUp"
  | "nudgeDown"
  | "pushLeft"
  | "pushRight"
  | "pushUp"
  | "pushDown"
  | "open"
  | "escape"
  | "delete"
  | "deleteRejoin"
  | "selectAll"
  | "selectDownstream"
  | "selectUpstream"
  | "rename"
  | "menu"
  | "add"
  | "fitAll"
  | "fitSelection"
  | "zoomActual"
  | "zoomIn"
  | "zoomOut"
  | "toolSelect"
  | "toolHand"
  | "toggle"
  | "fold"
  // told to the owner
  | "connect"
  | "undo"
  | "redo"
  | "duplicate"
  | "group"
  | "ungroup"
  | "tidy"
  | "disable"
  | "pin"
  | "breakpoint"
  | "comment"
  | "find"
  | "palette"
  | "note"
  | "testRun"
  | "runToHere"
  | "checkpoint"
  | "inspector"
  | "outline"
  | "help";

/** The keys, at first the default ones. Cut, copy and paste come as clipboard events. */
export const KEYMAP: Record<string, Command> = {
  arrowleft: "focusLeft",
  arrowright: "focusRight",
  arrowup: "focusUp",
  arrowdown: "focusDown",
  "alt+arrowright": "followDown",
  "alt+arrowleft": "followUp",
  "shift+arrowleft": "nudgeLeft",
  "shift+arrowright": "nudgeRight",
  "shift+arrowup": "nudgeUp",
  "shift+arrowdown": "nudgeDown",
  "mod+shift+arrowleft": "pushLeft",
  "mod+shift+arrowright": "pushRight",
  "mod+shift+arrowup": "pushUp",
  "mod+shift+arrowdown": "pushDown",
  enter: "open",
  escape: "escape",
  space: "toggle",
  delete: "delete",
  backspace: "delete",
  "mod+delete": "deleteRejoin",
  "mod+backspace": "deleteRejoin",
  "mod+a": "selectAll",
  u: "selectDownstream",
  "shift+u": "selectUpstream",
  f2: "rename",
  contextmenu: "menu",
  "shift+f10": "menu",
  a: "add",
  "shift+1": "fitAll",
  "shift+2": "fitSelection",
  "shift+0": "zoomActual",
  "+": "zoomIn",
  "=": "zoomIn",
  "-": "zoomOut",
  v: "toolSelect",
  h: "toolHand",
  c: "connect",
  "mod+z": "undo",
  "mod+shift+z": "redo",
  "mod+y": "redo",
  "mod+d": "duplicate",
  "mod+g": "group",
  "mod+shift+g": "ungroup",
  "shift+t": "tidy",
  f: "fold",
  d: "disable",
  p: "pin",
  b: "breakpoint",
  m: "comment",
  "mod+f": "find",
  "mod+k": "palette",
  n: "note",
  "mod+enter": "testRun",
  "mod+shift+enter": "runToHere",
  "mod+s": "checkpoint",
  i: "inspector",
  o: "outline",
  "?": "help",
};

/** What a key event tells, as the keyboard gives it. */
export type KeyPress = {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
};

/**
 * The combination of a key press. Digits keep their number under Shift, and
 * signs that need Shift on some keyboard do not name it.
 */
export function comboOf(press: KeyPress): string {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(press.code)?.[1];
  const key = digit ?? (press.key === " " ? "space" : press.key.toLowerCase());
  const sign = key.length === 1 && !/[a-z0-9]/.test(key);
  let combo = "";
  if (press.ctrlKey || press.metaKey) combo += "mod+";
  if (press.altKey) combo += "alt+";
  if (press.shiftKey && !sign) combo += "shift+";
  return combo + key;
}
