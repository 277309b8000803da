// The focus at the start.

import type { KernelApi } from "../../kernel/api.ts";

/** Focus without a ring around everything, until the first key is pressed. */
export function focusQuietly(kernel: KernelApi): void {
  const place = kernel.root.closest(".ed-place");
  place?.classList.add("quiet");
  kernel.focusCanvas();
  window.addEventListener("keydown", () => place?.classList.remove("quiet"), {
    once: true,
    capture: true,
  });
}
