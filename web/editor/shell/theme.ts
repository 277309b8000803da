// Light, dark, or as the system is. A cookie tells the server, so that the
// next page's first byte already has it.

export type Theme = "light" | "dark" | "system";

const yearSeconds = 31_536_000;
const following: Readonly<Record<Theme, Theme>> = {
  light: "dark",
  dark: "system",
  system: "light",
};

export function themeNow(): Theme {
  const now = document.documentElement.dataset["theme"];
  return now === "light" || now === "dark" ? now : "system";
}

export function nextTheme(): Theme {
  const next = following[themeNow()];
  document.documentElement.dataset["theme"] = next;
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it for the next page; the async cookie store is not everywhere yet
  document.cookie = `theme=${next}; path=/; max-age=${yearSeconds}; samesite=lax`;
  return next;
}
