// What only some pages need, in one piece; what the gallery needs comes apart.

import type { t } from "../core/strings.ts";
import type { create } from "./actions.ts";
import { watch as cases } from "./cases.ts";
import { watch as letters } from "./letters.ts";
import type { refresh } from "./morph.ts";
import { watch as routes } from "./queues.ts";
import { watch as runs } from "./runs.ts";
import type { toast } from "./toast.ts";

type Host = {
  readonly toast: typeof toast;
  readonly message: (fault: unknown) => string;
  readonly t: typeof t;
  readonly make: typeof create;
  readonly refresh: typeof refresh;
};

export function watch(host: Host): void {
  const there = (region: string) => document.querySelector<HTMLElement>(region);
  // Where workflows are listed, a file of one can be let go or pasted.
  if (there("[data-import]")) void import("./import.ts").then((later) => later.watch(host));
  // Where workflows are cards, several can be chosen.
  const cards = there("#cards");
  if (cards)
    void import("./choose.ts").then((later) =>
      later.watch({ ...host, refresh: () => host.refresh(cards, "cards") }),
    );
  for (const [mark, begin] of Object.entries({ cases, letters, routes, runs }))
    if (there(`[data-${mark}]`)) begin();
}
