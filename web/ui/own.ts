// The scripts that only some pages have, in one piece that those pages load.

import { watch as cases } from "./cases.ts";
import { watch as letters } from "./letters.ts";
import { watch as routes } from "./queues.ts";

for (const [mark, watch] of Object.entries({ cases, letters, routes }))
  if (document.querySelector(`[data-${mark}]`) !== null) watch();
