// Tells what a turn of the wheel means. A trackpad sends the same events as a
// wheel; they differ in their steps.

export type Turn = {
  readonly deltaX: number;
  readonly deltaY: number;
  /** 0 pixels, 1 lines, 2 pages. */
  readonly deltaMode: number;
  /** The old measure: 120 for each notch of a wheel. */
  readonly notch: number;
  readonly ctrl: boolean;
  readonly shift: boolean;
  /** Milliseconds, from any start. */
  readonly time: number;
};

export type Meaning =
  | { readonly is: "pan"; readonly dx: number; readonly dy: number }
  | { readonly is: "zoom"; readonly factor: number };

export type WheelSetting = "auto" | "pan" | "zoom";

/** What the last turns were, so that one gesture is read in one way. */
export type WheelMemory = { readonly device: "wheel" | "trackpad"; readonly until: number };

const KEEP = 400; // milliseconds without a turn after which to look anew

export function meaningOf(
  t: Turn,
  setting: WheelSetting,
  memory?: WheelMemory,
): { readonly meaning: Meaning; readonly memory: WheelMemory } {
  const device = memory !== undefined && t.time < memory.until ? memory.device : deviceOf(t);
  const kept = { device, until: t.time + KEEP };
  const unit = [1, 16, 400][t.deltaMode] ?? 1;
  const dx = t.deltaX * unit;
  const dy = t.deltaY * unit;
  const zooms =
    t.ctrl || setting === "zoom" || (setting === "auto" && device === "wheel" && !t.shift);
  if (zooms && dy !== 0) {
    // A pinch comes in small steps, a notch of a wheel in steps of about 100.
    const speed = t.ctrl && device === "trackpad" ? 0.01 : 0.0022;
    const step = Math.min(180, Math.max(-180, dy));
    return { meaning: { is: "zoom", factor: Math.exp(-step * speed) }, memory: kept };
  }
  const turned = t.shift && dx === 0;
  return { meaning: { is: "pan", dx: turned ? -dy : -dx, dy: turned ? 0 : -dy }, memory: kept };
}

function deviceOf(t: Turn): "wheel" | "trackpad" {
  if (t.deltaMode !== 0) return "wheel";
  // With Shift a wheel's steps come sideways.
  const delta = t.shift && t.deltaY === 0 ? t.deltaX : t.deltaY;
  if (delta === 0 || (delta === t.deltaY && t.deltaX !== 0)) return "trackpad";
  // On a Mac a trackpad's old measure is three times the new one.
  if (Math.abs(t.notch) === 3 * Math.abs(delta)) return "trackpad";
  if (t.notch === 0) return Math.abs(delta) >= 50 && Number.isInteger(delta) ? "wheel" : "trackpad";
  return t.notch % 120 === 0 ? "wheel" : "trackpad";
}
