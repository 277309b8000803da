// The place that a board's address names, and the addresses that lead away.

import type { RunsLink } from "../core/board.ts";

export const TABS = ["infrastructure", "events", "business"] as const;
export type Tab = (typeof TABS)[number];

/** The ranges to choose from, as the API reads them. */
export const RANGES = ["15m", "1h", "6h", "24h", "168h"] as const;

/** The last so long, or from one moment to another, in seconds. */
export type Range =
  | { readonly is: "last"; readonly last: string }
  | { readonly is: "between"; readonly from: number; readonly to: number };

/** What a board's address says. */
export type Place = {
  readonly tab: Tab;
  readonly range: Range;
  /** Empty: all workflows. */
  readonly workflow: string;
};

const USUAL = { is: "last", last: "1h" } as const;

/** The parameters of an address. */
function readQuery(search: string): ReadonlyMap<string, string> {
  const pairs = search
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=", 2);
      return [decode(name), decode(value)];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return "";
  }
}

/** An address with parameters; those without a value are left out. */
function address(path: string, parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== "");
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return text === "" ? path : `${path}?${text}`;
}

/** Reads an address; what cannot be read is as usual. */
export function readPlace(search: string): Place {
  const q = readQuery(search);
  const tab = TABS.find((one) => one === q.get("tab")) ?? "events";
  return { tab, range: readRange(q), workflow: q.get("workflow") ?? "" };
}

function readRange(q: ReadonlyMap<string, string>): Range {
  const from = Date.parse(q.get("from") ?? "") / 1000;
  const to = Date.parse(q.get("to") ?? "") / 1000;
  if (from < to) return { is: "between", from, to };
  const last = q.get("last") ?? "";
  return /^\d{1,4}[mh]$/.test(last) ? { is: "last", last } : USUAL;
}

/** A moment as addresses have it, to the second. */
export function moment(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace(".000", "");
}

function rangeParts(range: Range): Record<string, string> {
  if (range.is === "last") return { last: range.last };
  return { from: moment(range.from), to: moment(range.to) };
}

/** The address of a place, with the least that says it. */
export function placeAddress(place: Place): string {
  const { tab, range, workflow } = place;
  const usual = range.is === "last" && range.last === USUAL.last;
  return address("/boards", {
    tab: tab === "events" ? "" : tab,
    ...(usual ? {} : rangeParts(range)),
    workflow,
  });
}

/** Where the numbers of a place come from. */
export function answerAddress(place: Place): string {
  return address(`/api/boards/${place.tab}`, {
    ...rangeParts(place.range),
    workflow: place.tab === "infrastructure" ? "" : place.workflow,
  });
}

/** The API takes nothing shorter. */
export const NARROWEST_SECONDS = 60;

/** The range that a brush over a chart means: at least a minute. */
export function brushed(from: number, to: number): Range {
  const lacking = Math.max(0, NARROWEST_SECONDS - (to - from)) / 2;
  return { is: "between", from: Math.floor(from - lacking), to: Math.ceil(to + lacking) };
}

/**
 * The address of the runs that began in a span. Runs that are over there may
 * have begun before it: the longest of them took so many seconds.
 */
export function runsAddress(link: RunsLink, from: number, to: number, longest = 0): string {
  return address(link.workflow === "" ? "/runs" : `/w/${link.workflow}/runs`, {
    status: link.status ?? "",
    version: link.version === undefined ? "" : String(link.version),
    // As the fields of that page have it: to the second, without a zone.
    from: moment(Math.floor(from - longest)).replace("Z", ""),
    to: moment(to).replace("Z", ""),
  });
}

/** How often a place that ends now is asked for again, in seconds. */
export function refreshSeconds(step: number): number {
  return Math.min(30, Math.max(5, step));
}
