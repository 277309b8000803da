// The words of test runs' controls, as the page delivers them.

import type { Args, KeyOf } from "../core/strings.ts";
import { t as translate } from "../core/strings.ts";
import type rig from "../strings/en/rig.json";

export function t(key: KeyOf<typeof rig> & string, args: Args = {}): string {
  return translate(key, args);
}

/** What a run is doing, in a word. */
export function statusWord(status: string): string {
  return translate(`rig.is.${status}`);
}

/** How far a clock was moved: "3 d 2 h", "45 min", "12 s". */
export function distance(ms: number): string {
  if (ms < 60_000) return t("rig.far.s", { s: Math.round(ms / 1_000) });
  const minutes = Math.round(ms / 60_000); // a hold takes its seconds away
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return t("rig.far.min", { m: minutes });
  if (hours < 48) return t("rig.far.h", { h: hours, m: minutes % 60 });
  return t("rig.far.d", { d: Math.floor(hours / 24), h: hours % 24 });
}
