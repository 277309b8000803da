// "3 min ago" goes on while the page stays open.

import { language, t } from "../core/strings.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The same words as the server's Page.Ago. */
export function ago(ms: number, at: Date): string {
  if (ms < 10_000) return t("time.now");
  if (ms < MINUTE) return t("time.seconds", { n: Math.floor(ms / 1000) });
  if (ms < HOUR) return t("time.minutes", { n: Math.floor(ms / MINUTE) });
  if (ms < DAY) return t("time.hours", { n: Math.floor(ms / HOUR) });
  if (ms < 30 * DAY) return t("time.days", { n: Math.floor(ms / DAY) });
  return day(at);
}

/** The same as the server's Page.Day. */
function day(at: Date): string {
  if (language() === "en") return at.toISOString().slice(0, 10);
  return at.toLocaleDateString(language(), { dateStyle: "long", timeZone: "UTC" });
}

export function refreshAgo(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-ago]")) {
    const at = new Date(time.dateTime);
    const words = ago(now - at.getTime(), at);
    if (time.textContent !== words) time.textContent = words;
  }
}

export function keepAgo(): void {
  refreshAgo();
  setInterval(refreshAgo, 10_000);
}
