// The words of comments, as the page delivers them.

import type { Args, KeyOf } from "../../core/strings.ts";
import { t as translate } from "../../core/strings.ts";
import type talk from "../../strings/en/talk.json";

export function t(key: KeyOf<typeof talk> & string, args: Args = {}): string {
  return translate(key, args);
}
