// Theme and motion stand in cookies, so that the server's first byte already
// has them and nothing flashes.

import { t } from "../core/strings.ts";
import { toast } from "./toast.ts";

export type Theme = "light" | "dark" | "system";

const YEAR_SECONDS = 31_536_000;

const NEXT: Readonly<Record<Theme, Theme>> = { light: "dark", dark: "system", system: "light" };

export function theme(): Theme {
  const now = document.documentElement.dataset["theme"];
  return now === "light" || now === "dark" ? now : "system";
}

export function setTheme(to: Theme): void {
  document.documentElement.dataset["theme"] = to;
  remember("theme", to);
  for (const choice of document.querySelectorAll<HTMLInputElement>("[data-theme-set]")) {
    choice.checked = choice.value === to;
  }
}

export function nextTheme(): void {
  setTheme(NEXT[theme()]);
  toast(t("shell.theme.now", { name: t(`shell.theme.${theme()}`) }));
}

export function setMotion(less: boolean): void {
  if (less) document.documentElement.dataset["motion"] = "less";
  else delete document.documentElement.dataset["motion"];
  remember("motion", less ? "less" : "full");
}

function remember(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it for the next page's first byte; the async cookie store is not everywhere yet
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}
