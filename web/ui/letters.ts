// The page of dead letters: choose many, look at one, retry, discard.

import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { refresh } from "./morph.ts";
import { toast } from "./toast.ts";

type Act = "retry" | "discard";

/** Makes the page work; called once, when it is there. */
export function watch(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null || button.ariaDisabled === "true") return;
    const { letter, lettersAct, words } = button.dataset;
    if (letter !== undefined) void look(letter, words ?? "");
    if (lettersAct === "retry" || lettersAct === "discard")
      void during(button, () => act(lettersAct, chosen()));
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement)) return;
    if (field.dataset["lettersAll"] !== undefined)
      for (const choice of choices()) choice.checked = field.checked;
    count();
  });
}

const choices = (): readonly HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>("input[data-letter-choice]"),
];

const chosen = (): readonly string[] =>
  choices()
    .filter((choice) => choice.checked)
    .map((choice) => choice.dataset["letterChoice"] ?? "");

/** Says how many are chosen, and lets the buttons act on them. */
function count(): void {
  const n = chosen().length;
  const said = document.querySelector("[data-letters-chosen]");
  if (said !== null) said.textContent = n === 0 ? "" : t("letters.chosen", { n });
  for (const button of document.querySelectorAll("[data-letters-act]"))
    button.setAttribute("aria-disabled", String(n === 0));
  const all = document.querySelector<HTMLInputElement>("[data-letters-all]");
  if (all === null) return;
  all.checked = n > 0 && n === choices().length;
  all.indeterminate = n > 0 && !all.checked;
}

async function during(button: HTMLElement, work: () => Promise<void>): Promise<void> {
  button.setAttribute("aria-disabled", "true");
  try {
    await work();
  } catch (fault) {
    toast(message(fault), "fail");
  } finally {
    button.removeAttribute("aria-disabled");
    count();
  }
}

/** Retries or discards, says what came of it, and draws the list anew. */
async function act(what: Act, ids: readonly string[], input?: unknown): Promise<void> {
  const answer = await call("POST", `/api/dead-letters/${what}`, {
    ids,
    ...(input === undefined ? {} : { input }),
  });
  const results = at(answer, "results");
  const list: readonly unknown[] = Array.isArray(results) ? results : [];
  const done = list.filter((one) => at(one, "done") === true).length;
  const refused = list.find((one) => at(one, "done") !== true);
  if (done > 0) {
    toast(t(`letters.done.${what}`, { n: done }));
    for (const choice of choices()) choice.checked = false;
    const rows = document.getElementById("rows");
    if (rows !== null) await refresh(rows, "rows");
    document.querySelector<HTMLDialogElement>("#letter")?.close();
  }
  if (refused !== undefined)
    toast(t("letters.refused", { reason: String(at(refused, "reason") ?? "") }), "fail");
}

/** Shows one letter: why, with what, how often it was tried. */
async function look(id: string, words: string): Promise<void> {
  const dialog = document.querySelector<HTMLDialogElement>("#letter");
  const body = dialog?.querySelector<HTMLElement>("[data-letter-body]");
  if (dialog === null || body === null || body === undefined) return;
  try {
    const letter = await call("GET", `/api/dead-letters/${encodeURIComponent(id)}`);
    body.replaceChildren(...draw(letter, words));
    dialog.showModal();
  } catch (fault) {
    toast(message(fault), "fail");
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

const text = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return found === undefined || found === null ? "" : String(found);
};

function draw(letter: unknown, words: string): readonly Node[] {
  const run = el("a", "btn sm", t("letters.open_run"));
  run.href = `/runs/${text(letter, "run")}`;
  const reason = el(
    "section",
    "letter-why",
    el("p", "", words),
    el("blockquote", "", text(letter, "message")),
    el("p", "sub", t("letters.where", { step: text(letter, "node"), n: text(letter, "attempts") })),
    run,
  );
  return [reason, ...input(letter), tried(at(letter, "tried"))];
}

/** What the step got: to be changed for a retry where that is possible. */
function input(letter: unknown): readonly Node[] {
  const id = text(letter, "id");
  const may = document.querySelector<HTMLElement>("[data-letters]")?.dataset["letters"] === "true";
  const open = text(letter, "state") === "open" && may;
  const editable = open && at(letter, "editable") === true;
  const value = at(letter, "input") ?? at(letter, "config");
  const was = value === undefined ? "" : JSON.stringify(value, null, 2);
  const area = el("textarea", "inp mono");
  area.id = "letter-input";
  area.value = was;
  area.rows = 8;
  area.readOnly = !editable;
  area.spellcheck = false;
  const label = el("label", "", t("letters.input"));
  label.htmlFor = area.id;
  const hint = el("p", "hint", t(editable ? "letters.input.hint" : "letters.input.fixed"));
  const fault = el("p", "hint letter-fault");
  fault.setAttribute("role", "alert");
  const field = el("div", "fld", label, area, hint, fault);
  if (!open) return [field];
  const retry = el("button", "btn pri", t("letters.retry"));
  const discard = el("button", "btn", t("letters.discard"));
  retry.type = discard.type = "button";
  retry.dataset["letterRetry"] = id;
  retry.addEventListener("click", () => {
    let changed: unknown;
    try {
      if (editable && area.value.trim() !== was) changed = JSON.parse(area.value);
    } catch {
      fault.textContent = t("letters.input.json");
      area.focus();
      return;
    }
    fault.textContent = "";
    void during(retry, () => act("retry", [id], changed));
  });
  discard.addEventListener("click", () => void during(discard, () => act("discard", [id])));
  return [field, el("div", "row", retry, discard)];
}

function tried(list: unknown): Node {
  const rows = el("ol", "letter-tried");
  for (const one of Array.isArray(list) ? list : []) {
    const when = text(one, "ended") || text(one, "scheduled");
    rows.append(
      el(
        "li",
        "",
        el("b", "", t("letters.attempt", { n: text(one, "number") })),
        el("span", "sub", new Date(when).toLocaleString(document.documentElement.lang)),
        el("span", "sub", text(one, "worker")),
        el("span", "", [text(one, "class"), text(one, "message")].filter(Boolean).join(": ")),
      ),
    );
  }
  return el("section", "", el("h3", "", t("letters.attempts")), rows);
}
