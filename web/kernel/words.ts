// The kernel's words: the page delivers them, the bundle carries the English
// ones.

import { translator } from "../core/strings.ts";
import kernel from "../strings/en/kernel.json";

export const t = translator(kernel);
