// The editor's words: the page delivers them, the bundle carries the English
// ones.

import { translator } from "../core/strings.ts";
import editor from "../strings/en/editor.json";

export const t = translator("en", editor);
