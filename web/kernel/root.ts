// The element of the canvas and what may change around it.

import { t } from "./words.ts";

export function makeRoot(host: HTMLElement): HTMLElement {
  const root = document.createElement("div");
  root.className = "k-root";
  root.tabIndex = 0;
  root.setAttribute("role", "application");
  root.setAttribute("aria-roledescription", t("kernel.canvas.role"));
  root.setAttribute("aria-label", t("kernel.canvas"));
  host.append(root);
  return root;
}

export function spriteOfPage(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]');
  return meta?.content ?? "/static/dist/icons.svg";
}

export type Changes = {
  readonly resized: (rect: DOMRect) => void;
  readonly themed: () => void;
  readonly fonts: () => void;
};

/** Tells what changes around the canvas, and its size at once. */
export function watch(root: HTMLElement, signal: AbortSignal, on: Changes): void {
  const resized = new ResizeObserver(() => on.resized(root.getBoundingClientRect()));
  resized.observe(root);
  const themed = new MutationObserver(on.themed);
  themed.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme", "data-motion"],
  });
  for (const query of [
    "(prefers-color-scheme: dark)",
    "(forced-colors: active)",
    "(prefers-contrast: more)",
  ]) {
    matchMedia(query).addEventListener("change", on.themed, { signal });
  }
  // Titles on the canvas want the right font once it is there.
  document.fonts.addEventListener("loadingdone", on.fonts, { signal });
  signal.addEventListener("abort", () => {
    resized.disconnect();
    themed.disconnect();
  });
  on.resized(root.getBoundingClientRect());
}
