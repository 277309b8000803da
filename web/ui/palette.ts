// The command palette of the pages: go somewhere, open a workflow, do what the
// page's buttons do. It is loaded when it is first opened.

import { t } from "../core/strings.ts";
import { at, call } from "./api.ts";

type Entry = { readonly title: string; readonly detail: string; readonly run: () => void };

const LIMIT = 12;

let dialog: HTMLDialogElement | undefined;
let workflows: readonly Entry[] = [];

export function openPalette(): void {
  if (dialog === undefined) dialog = build();
  if (dialog.open) return;
  dialog.showModal();
  dialog.querySelector("input")?.select();
  dialog.dispatchEvent(new Event("fill"));
  void call("GET", "/api/workflows").then((answer) => {
    const list = at(answer, "workflows");
    workflows = Array.isArray(list) ? list.map(workflow) : [];
    dialog?.dispatchEvent(new Event("fill"));
  });
}

function workflow(w: unknown): Entry {
  const id = encodeURIComponent(String(at(w, "id")));
  return {
    title: String(at(w, "name")),
    detail: t("shell.palette.workflow"),
    run: () => location.assign(`/w/${id}`),
  };
}

const go = (title: string, href: string): Entry => ({
  title,
  detail: t("shell.palette.go"),
  run: () => location.assign(href),
});

/** What the page's own buttons do, by their names. */
function press(selector: string): readonly Entry[] {
  const target = document.querySelector<HTMLElement>(selector);
  const title = target?.ariaLabel ?? target?.firstElementChild?.nextSibling?.textContent?.trim();
  if (target === null || title === undefined || title === "") return [];
  return [{ title, detail: t("shell.palette.do"), run: () => target.click() }];
}

function entries(): readonly Entry[] {
  const settings = document.querySelectorAll<HTMLAnchorElement>(".settings > nav a");
  return [
    ...press("[data-new]"),
    go(t("shell.nav.workflows"), "/"),
    go(t("shell.nav.runs"), "/runs"),
    go(t("shell.nav.queues"), "/queues"),
    go(t("shell.nav.boards"), "/boards"),
    go(t("shell.nav.settings"), "/settings"),
    ...[...settings].map((a) => go((a.textContent ?? "").trim(), a.href)),
    ...press("[data-theme-next]"),
    ...press("[data-open=keys]"),
    ...workflows,
  ];
}

function build(): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.className = "dlg palette";
  made.setAttribute("aria-label", t("shell.palette"));
  const input = document.createElement("input");
  input.className = "inp";
  input.type = "search";
  input.placeholder = t("shell.palette.placeholder");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", "palette-list");
  input.setAttribute("aria-label", t("shell.palette"));
  const list = document.createElement("ul");
  list.id = "palette-list";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", t("shell.palette"));
  made.append(input, list);
  document.body.append(made);
  let shown: readonly Entry[] = [];
  let chosen = 0;
  const fill = (): void => {
    const words = input.value.toLowerCase().split(/\s+/);
    shown = entries()
      .filter((e) => words.every((w) => `${e.title} ${e.detail}`.toLowerCase().includes(w)))
      .slice(0, LIMIT);
    chosen = Math.min(chosen, Math.max(0, shown.length - 1));
    list.replaceChildren(...shown.map((e, i) => row(e, i, i === chosen, run)));
    if (shown.length === 0) list.append(nothing());
    input.setAttribute("aria-activedescendant", shown.length === 0 ? "" : `palette-${chosen}`);
  };
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    made.close();
    entry.run();
  };
  input.addEventListener("input", () => {
    chosen = 0;
    fill();
  });
  made.addEventListener("fill", fill);
  made.addEventListener("keydown", (e) => {
    if (e.isComposing) return;
    if (e.key === "Enter") run(shown[chosen]);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const by = e.key === "ArrowDown" ? 1 : shown.length - 1;
      chosen = (chosen + by) % Math.max(1, shown.length);
      fill();
    } else return;
    e.preventDefault();
  });
  return made;
}

function row(
  entry: Entry,
  i: number,
  on: boolean,
  run: (entry: Entry | undefined) => void,
): HTMLElement {
  const item = document.createElement("li");
  item.id = `palette-${i}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(on));
  const name = document.createElement("b");
  name.textContent = entry.title;
  const detail = document.createElement("small");
  detail.textContent = entry.detail;
  item.append(name, detail);
  item.addEventListener("click", () => run(entry));
  return item;
}

function nothing(): HTMLElement {
  const item = document.createElement("li");
  item.setAttribute("role", "option");
  item.setAttribute("aria-disabled", "true");
  item.setAttribute("aria-selected", "false");
  item.textContent = t("shell.palette.none");
  return item;
}
