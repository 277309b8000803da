// The kernel's words, as the page delivers them. The English file gives the
// names of the keys, so that a wrong one does not compile.

import type { Args, KeyOf } from "../core/strings.ts";
import { t as translate } from "../core/strings.ts";
import type kernel from "../strings/en/kernel.json";

export function t(key: KeyOf<typeof kernel> & string, args: Args = {}): string {
  return translate(key, args);
}
