// The editor's words, as the page delivers them. The English file gives the
// names of the keys, so that a wrong one does not compile.

import type { Args, KeyOf } from "../core/strings.ts";
import { t as translate } from "../core/strings.ts";
import type editor from "../strings/en/editor.json";

export function t(key: KeyOf<typeof editor> & string, args: Args = {}): string {
  return translate(key, args);
}
