// Parts of a page come again from the server as HTML and are morphed in, so
// that focus, scroll position and open menus stay.

import { Idiomorph } from "idiomorph";
import { refreshAgo } from "./ago.ts";
import { showOffline } from "./offline.ts";

// The part of Trusted Types that we use; TypeScript's library has no types for
// it yet. What createHTML returns is a TrustedHTML that stands in for a text.
type Policy = { createHTML(html: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

// The only way by which text becomes HTML here. What comes in was escaped by
// the server's templates, and is parsed into an inert document first: no
// script in it ever runs.
const policy = trustedTypes?.createPolicy("sb", { createHTML: (html: string) => html });

function parse(html: string): Document {
  return new DOMParser().parseFromString(policy?.createHTML(html) ?? html, "text/html");
}

/** Fetches a fragment, of this page if nothing else is said, and morphs it into the element with its id. */
export async function refresh(
  target: HTMLElement,
  fragment: string,
  signal?: AbortSignal,
): Promise<void> {
  const headers = { "Sb-Fragment": fragment, Accept: "text/html" };
  const answer = await fetch(target.dataset["from"] ?? location.href, {
    headers,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.redirected) {
    // The session has ended: the page itself shows the way to the login.
    location.reload();
    return;
  }
  if (!answer.ok) throw new Error(`fragment ${fragment}: ${answer.status}`);
  const fresh = parse(await answer.text()).getElementById(target.id);
  if (fresh === null) return;
  void Idiomorph.morph(target, fresh, { ignoreActiveValue: true });
  refreshAgo();
}

/** Keeps every region marked with data-live fresh while the page is seen. */
export function keepLive(): void {
  for (const region of document.querySelectorAll<HTMLElement>("[data-live]")) {
    const seconds = Number(region.dataset["every"] ?? "2");
    void poll(region, region.dataset["live"] ?? "", seconds * 1000);
  }
}

async function poll(region: HTMLElement, fragment: string, every: number): Promise<never> {
  let failures = 0;
  for (;;) {
    await pause(every * Math.min(1 + failures, 8));
    if (document.hidden) await seen();
    if (region.querySelector("details[open]") !== null) continue;
    try {
      await refresh(region, fragment);
      failures = 0;
      showOffline(!navigator.onLine);
    } catch {
      failures++;
      // One lost request is no news; the second one is.
      if (failures === 2) showOffline(true);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

function seen(): Promise<void> {
  return new Promise((done) => {
    const look = (): void => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
  });
}
