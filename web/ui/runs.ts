// The list of runs: choose many and act on them, and keep filters by name.

import { said } from "../core/sentence.ts";
import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { refresh } from "./morph.ts";
import { sure } from "./sure.ts";
import { toast } from "./toast.ts";

const POLL_MS = 700;

/** What is chosen stays so while the list comes anew under it. */
const chosen = new Set<string>();
let everything = false; // all that match the filter

const one = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector);
const choices = () => [...document.querySelectorAll<HTMLInputElement>("[data-run-choice]")];

/** Makes the page work; called once, when it is there. */
export function watch(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button !== null && button.ariaDisabled !== "true") void press(button);
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (field instanceof HTMLSelectElement && field.id === "bulk-act" && field.value !== "") {
      const act = field.value;
      field.value = "";
      void ask(act);
    }
    if (!(field instanceof HTMLInputElement)) return;
    const { runChoice, runsAll } = field.dataset;
    if (runChoice === undefined && runsAll === undefined) return;
    everything = false;
    for (const c of runChoice === undefined ? choices() : [field]) {
      const id = c.dataset["runChoice"] ?? "";
      if (field.checked) chosen.add(id);
      else chosen.delete(id);
    }
    show();
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset["filterForm"] === undefined) return;
    event.preventDefault();
    void keep(form);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen.size > 0 && one("dialog[open]") === null) clear();
  });
  const rows = document.getElementById("rows");
  // A morph takes the choice away from a row, together with the attribute.
  if (rows !== null)
    new MutationObserver(show).observe(rows, {
      childList: true,
      subtree: true,
      attributeFilter: ["checked"],
    });
  if (document.getElementById("bulk-jobs") !== null) void resume();
}

async function press(button: HTMLButtonElement): Promise<void> {
  const {
    bulkAll,
    bulkClear,
    bulkJob,
    filterDefault,
    filterDelete,
    sure: question,
    word,
  } = button.dataset;
  try {
    if (bulkClear !== undefined) clear();
    else if (bulkAll !== undefined) {
      everything = true;
      show();
    } else if (bulkJob !== undefined) await follow(bulkJob);
    else if (filterDefault !== undefined) {
      const on = button.ariaPressed !== "true";
      await call("PUT", `/api/filters/${filterDefault}/default`, { default: on });
      toast(t(on ? "bulk.default.on" : "bulk.default.off"));
      await filters();
    } else if (filterDelete !== undefined && (await sure(question ?? "", word ?? ""))) {
      await call("DELETE", `/api/filters/${filterDelete}`);
      await filters();
    }
  } catch (fault) {
    toast(message(fault), "fail");
  }
}

function clear(): void {
  chosen.clear();
  everything = false;
  show();
}

/** Draws the choice onto rows that may have come anew. */
function show(): void {
  const list = choices();
  for (const c of list) {
    const on = everything || chosen.has(c.dataset["runChoice"] ?? "");
    if (c.checked !== on) c.checked = on;
    if (c.hasAttribute("checked") !== on) c.toggleAttribute("checked", on);
  }
  const head = one<HTMLInputElement>("[data-runs-all]");
  const on = list.filter((c) => c.checked).length;
  if (head !== null) {
    head.checked = on > 0 && on === list.length;
    head.indeterminate = on > 0 && on < list.length;
  }
  const bar = document.getElementById("bulk");
  if (bar === null) return;
  bar.hidden = chosen.size === 0 && !everything;
  const words = everything ? t("bulk.everything") : t("bulk.chosen", { n: chosen.size });
  const count = bar.querySelector("[data-bulk-count]");
  if (count !== null && count.textContent !== words) count.textContent = words;
  const all = bar.querySelector<HTMLElement>("[data-bulk-all]");
  if (all !== null) all.hidden = everything;
}

const list = () => one("[data-runs]")?.dataset ?? {};

/** Which runs are meant, as the API wants to be told. */
function choice(): Record<string, unknown> {
  if (!everything) return { ids: [...chosen] };
  const workflow = list()["workflow"] ?? "";
  const filter = Object.fromEntries(new URLSearchParams(list()["runs"] ?? ""));
  return { filter, ...(workflow === "" ? {} : { workflow }) };
}

/** Says how many runs an act would touch, and asks. */
async function ask(act: string): Promise<void> {
  const which = choice();
  try {
    const counted = await call("POST", "/api/bulk/preview", which);
    const n = Number(at(counted, "count") ?? 0);
    const lines: Node[] = [el("p", "", t(`bulk.ask.${act}`, { n }))];
    const status = Object.entries((at(counted, "status") ?? {}) as Record<string, number>);
    if (status.length > 0)
      lines.push(
        el("p", "sub", status.map(([s, many]) => `${t(`status.${s}`)}: ${many}`).join(" · ")),
      );
    const more = at(counted, "more") === true;
    if (more)
      lines.push(el("p", "note fail", t("bulk.more", { n: String(at(counted, "most") ?? "") })));
    const wants = ["label", "unlabel", "case"].includes(act);
    if (wants) lines.push(wordField(act));
    const fault = el("p", "hint bulk-fault");
    fault.setAttribute("role", "alert");
    lines.push(fault);
    const go = el(
      "button",
      `btn pri${["cancel", "discard"].includes(act) ? " dng" : ""}`,
      t(`bulk.act.${act}`),
    );
    go.type = "submit";
    go.disabled = more || n === 0;
    const no = el("button", "btn", t("shell.cancel"));
    no.type = "button";
    no.dataset["close"] = "";
    fill(t(`bulk.act.${act}`), lines, [no, go], async () => {
      try {
        const word = one<HTMLInputElement>("#bulk-word")?.value ?? "";
        const job = await call("POST", "/api/bulk", { ...which, act, ...(wants ? { word } : {}) });
        clear();
        await follow(String(at(job, "id")));
      } catch (e) {
        fault.textContent = message(e);
      }
    });
  } catch (fault) {
    toast(message(fault), "fail");
  }
}

function wordField(act: string): Node {
  const label = el("label", "", t(act === "case" ? "bulk.word.case" : "bulk.word.label"));
  const input = el("input", "inp");
  input.id = label.htmlFor = "bulk-word";
  input.maxLength = act === "case" ? 80 : 40;
  input.required = true;
  input.autocomplete = "off";
  const parts: Node[] = [label, input];
  if (act === "case") parts.push(el("p", "hint", t("bulk.word.case.hint")));
  return el("div", "fld", ...parts);
}

/** Fills the dialog and opens it. */
function fill(
  title: string,
  body: readonly Node[],
  foot: readonly Node[],
  submit?: () => Promise<void>,
): HTMLDialogElement | null {
  const dialog = one<HTMLDialogElement>("#bulk-dlg");
  const form = dialog?.querySelector("form");
  if (dialog === null || form === null || form === undefined) return null;
  const head = document.getElementById("bulk-dlg-h");
  if (head !== null) head.textContent = title;
  dialog.querySelector("[data-bulk-body]")?.replaceChildren(...body);
  dialog.querySelector("[data-bulk-foot]")?.replaceChildren(...foot);
  form.onsubmit = (event) => {
    event.preventDefault();
    const go = form.querySelector<HTMLButtonElement>("[type=submit]");
    if (submit === undefined || go?.ariaDisabled === "true") return;
    go?.setAttribute("aria-disabled", "true");
    void submit().finally(() => go?.removeAttribute("aria-disabled"));
  };
  if (!dialog.open) dialog.showModal();
  return dialog;
}

/** Shows how far a job is until it is over, or the dialog is closed. */
async function follow(id: string): Promise<void> {
  const bar = el("progress", "bulk-progress");
  const words = el("p", "");
  words.setAttribute("role", "status");
  const report = el("ul", "bulk-report");
  const stop = el("button", "btn", t("bulk.stop"));
  stop.type = "button";
  stop.addEventListener("click", () => {
    void call("POST", `/api/bulk/${id}/stop`).catch((e: unknown) => toast(message(e), "fail"));
  });
  const close = el("button", "btn pri", t("shell.close"));
  close.type = "button";
  close.dataset["close"] = "";
  let dialog: HTMLDialogElement | null = null;
  for (;;) {
    const job = await call("GET", `/api/bulk/${id}`);
    const [total, done, skipped] = ["total", "done", "skipped"].map((k) => Number(at(job, k) ?? 0));
    const state = String(at(job, "state"));
    bar.max = total ?? 0;
    bar.value = (done ?? 0) + (skipped ?? 0);
    bar.setAttribute("aria-label", t("bulk.progress"));
    words.textContent = t(`bulk.state.${state}`, {
      done: done ?? 0,
      skipped: skipped ?? 0,
      total: total ?? 0,
    });
    report.replaceChildren(...reasons(at(job, "results")));
    const title = [t(`bulk.act.${String(at(job, "act"))}`), String(at(job, "word") ?? "")];
    dialog ??= fill(title.join(" ").trim(), [bar, words, report], [stop, close]);
    if (dialog === null) return;
    stop.hidden = state !== "working";
    if (state !== "working") {
      const rows = document.getElementById("rows");
      if (rows !== null) await refresh(rows, "rows").catch(() => undefined);
      break;
    }
    if (!dialog.open) break;
    await new Promise((next) => setTimeout(next, POLL_MS));
  }
  await resume();
}

/** What was skipped, by its reason, and the runs. */
function reasons(results: unknown): readonly Node[] {
  const by = new Map<string, string[]>();
  for (const r of Array.isArray(results) ? results : []) {
    if (at(r, "state") !== "skipped") continue;
    const why = said(String(at(r, "reason") ?? ""));
    by.set(why, [...(by.get(why) ?? []), String(at(r, "run"))]);
  }
  return [...by].map(([why, runs]) => {
    const item = el("li", "", el("b", "", why), " ");
    for (const run of runs.slice(0, 8)) {
      const link = el("a", "mono", run.slice(-6));
      link.href = `/runs/${run}`;
      item.append(link, " ");
    }
    if (runs.length > 8) item.append(t("bulk.others", { n: runs.length - 8 }));
    return item;
  });
}

/** Jobs that are still worked off, also those that others began. */
async function resume(): Promise<void> {
  const place = document.getElementById("bulk-jobs");
  if (place === null) return;
  const answer = await call("GET", "/api/bulk?working=true").catch(() => undefined);
  const jobs = at(answer, "jobs");
  const chips = (Array.isArray(jobs) ? jobs : []).map((j: unknown) => {
    const gone = Number(at(j, "done") ?? 0) + Number(at(j, "skipped") ?? 0);
    const button = el(
      "button",
      "btn sm",
      t("bulk.job", {
        act: t(`bulk.act.${String(at(j, "act"))}`),
        n: gone,
        of: String(at(j, "total")),
      }),
    );
    button.type = "button";
    button.dataset["bulkJob"] = String(at(j, "id"));
    return button;
  });
  place.replaceChildren(...chips);
}

async function filters(): Promise<void> {
  const place = document.getElementById("filters");
  if (place !== null) await refresh(place, "filters");
}

/** Keeps the filter that is shown. */
async function keep(form: HTMLFormElement): Promise<void> {
  const values = new FormData(form);
  const workflow = list()["workflow"] ?? "";
  const fault = form.querySelector<HTMLElement>("[data-fault]");
  try {
    const kept = await call("POST", "/api/filters", {
      name: String(values.get("name") ?? ""),
      query: list()["runs"] ?? "",
      shared: values.get("shared") !== null,
      ...(workflow === "" ? {} : { workflow }),
    });
    if (values.get("default") !== null)
      await call("PUT", `/api/filters/${String(at(kept, "id"))}/default`, { default: true });
    form.closest("dialog")?.close();
    form.reset();
    await filters();
  } catch (e) {
    const words = fault?.querySelector("span");
    if (fault !== null && words !== null && words !== undefined) {
      words.textContent = message(e);
      fault.hidden = false;
    }
  }
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
