// The page of cases: rehearse the draft on them, and say what would differ.

import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { toast } from "./toast.ts";

/** Makes the page work; called once, when it is there. */
export function watch(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null || button.ariaDisabled === "true") return;
    if (button.dataset["casesTry"] !== undefined) void rehearse(button);
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (field instanceof HTMLInputElement && field.dataset["casesGuard"] !== undefined)
      void guard(field);
  });
  const button = document.querySelector<HTMLButtonElement>("[data-cases-try]");
  if (button !== null) void rehearse(button);
  const lists = document.getElementById("lists");
  if (lists === null) return;
  // A row that was renamed or removed comes anew, without its verdict.
  const rows = () => lists.querySelectorAll("[data-case]").length;
  let had = rows();
  new MutationObserver(() => {
    const empty = [...lists.querySelectorAll("[data-case-verdict]")].some(
      (e) => !e.hasChildNodes(),
    );
    if (rows() === had && !empty) return;
    had = rows();
    show();
  }).observe(lists, { childList: true, subtree: true });
}

const workflow = () => document.querySelector<HTMLElement>("[data-cases]")?.dataset["cases"] ?? "";

/** The last report; rows that come anew are filled from it. */
let report: unknown;

async function rehearse(button: HTMLButtonElement): Promise<void> {
  button.setAttribute("aria-disabled", "true");
  try {
    report = await call("POST", `/api/workflows/${workflow()}/rehearsal`, {});
    show();
  } catch (fault) {
    report = undefined;
    sum("fail", message(fault));
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

async function guard(field: HTMLInputElement): Promise<void> {
  const guarded = field.checked;
  try {
    await call("PUT", `/api/workflows/${workflow()}/guard`, { guarded });
    toast(t(guarded ? "cases.guard.on" : "cases.guard.off"));
  } catch (fault) {
    field.checked = !guarded;
    toast(message(fault), "fail");
  }
}

function show(): void {
  if (report === undefined) return;
  const cases = list(at(report, "cases"));
  for (const one of cases) {
    const row = document.getElementById(`c-${text(one, "case", "id")}`);
    row?.querySelector("[data-case-verdict]")?.replaceChildren(verdict(one));
    row?.querySelector("[data-case-found]")?.replaceChildren(...found(one));
  }
  const n = Number(at(report, "same") ?? 0);
  const ok = at(report, "ok") === true;
  sum(
    ok ? "ok" : "warn",
    n === cases.length
      ? t("cases.sum.same", { n })
      : t("cases.sum", {
          same: n,
          differs: text(report, "differs"),
          stopped: text(report, "stopped"),
        }),
  );
}

function sum(tone: "ok" | "warn" | "fail", words: string): void {
  const icons = { ok: "check", warn: "triangle-alert", fail: "circle-alert" } as const;
  const place = document.querySelector("[data-cases-sum]");
  const note = el("p", `note ${tone}`, icon(icons[tone]), el("span", "", words));
  place?.replaceChildren(note);
}

const TONE: Readonly<Record<string, readonly [string, string]>> = {
  same: ["ok", "check"],
  differs: ["fail", "git-compare"],
  stopped: ["wait", "circle-pause"],
};

function verdict(one: unknown): Node {
  const says = at(one, "accepted") === true ? "accepted" : text(one, "verdict");
  const [tone, name] = TONE[says] ?? ["skip", "check"];
  return el("span", `chip ${tone}`, icon(name), t(`cases.verdict.${says}`));
}

/** What differs, in words, with the way to see both side by side. */
function found(one: unknown): readonly Node[] {
  if (text(one, "verdict") === "same" && list(at(one, "differences")).length === 0) return [];
  const lines: Node[] = [];
  const why = text(one, "stopped", "why");
  if (why !== "")
    lines.push(el("li", "", t(`cases.stop.${why}`, { step: text(one, "stopped", "node") })));
  const pinned = list(at(one, "pinned"));
  if (pinned.length > 0)
    lines.push(el("li", "sub", t("cases.pinned", { steps: pinned.join(", ") })));
  for (const d of list(at(one, "differences"))) lines.push(line(d));
  if (Number(at(one, "more") ?? 0) > 0)
    lines.push(el("li", "sub", t("cases.more", { n: text(one, "more") })));
  const look = el("a", "btn sm", icon("git-compare"), t("cases.compare"));
  look.href = text(one, "compare");
  const details = el("details", "", el("summary", "", t("cases.found", { n: lines.length })));
  details.append(el("ul", "", ...lines), look);
  details.open = at(one, "accepted") !== true && text(one, "verdict") !== "same";
  return [details];
}

function line(d: unknown): Node {
  const what = text(d, "what");
  const item = el(
    "li",
    at(d, "counts") === true ? "" : "sub",
    t(`cases.what.${what}`, { step: text(d, "node") }),
  );
  const [was, now] = [text(d, "was"), text(d, "now")];
  if (was !== "" || now !== "")
    item.append(
      el(
        "span",
        "was-now",
        el("code", "", was === "" ? "–" : was),
        icon("arrow-right"),
        el("code", "", now === "" ? "–" : now),
      ),
    );
  return item;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown, ...path: readonly string[]): string {
  const it = at(value, ...path);
  return it === undefined || it === null ? "" : String(it);
}

const SVG = "http://www.w3.org/2000/svg";

function icon(name: string): Node {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  const sprite = document.querySelector<HTMLMetaElement>("meta[name=sb-icons]")?.content ?? "";
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name: string,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (name !== "") e.className = name;
  e.append(...inside);
  return e;
}
