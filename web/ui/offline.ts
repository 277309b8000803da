// A bar over the page while the server can't be reached: what is shown may be
// old, and is shown on.

import { t } from "../core/strings.ts";

let bar: HTMLElement | undefined;

export function showOffline(is: boolean): void {
  if (!is) {
    bar?.remove();
    bar = undefined;
  } else if (bar === undefined) {
    bar = document.createElement("p");
    bar.className = "offline";
    bar.setAttribute("role", "status");
    document.body.prepend(bar);
    bar.textContent = t("shell.offline.old");
  }
}

export function watchLine(): void {
  window.addEventListener("offline", () => showOffline(true));
  window.addEventListener("online", () => showOffline(false));
  if (!navigator.onLine) showOffline(true);
}
