// Workflows that are chosen together in the gallery, and what is done with
// them. Loaded where there are cards, with what it needs handed in.

import { call } from "./api.ts";
import { sure } from "./sure.ts";

export type Host = {
  readonly toast: (text: string, tone?: "fail") => void;
  readonly message: (fault: unknown) => string;
  readonly t: (key: string, values?: Record<string, string | number>) => string;
  readonly refresh: () => Promise<void>;
};

export function watch(host: Host): void {
  const bar = document.getElementById("chosen");
  const cards = document.getElementById("cards");
  if (bar === null || cards === null) return;
  const chosen = new Set<string>();
  const boxes = () => cards.querySelectorAll<HTMLElement>("[data-choose]");

  /** Puts the choice back onto cards that came anew. */
  const show = () => {
    const there = new Set<string>();
    for (const box of boxes()) {
      const id = box.dataset["choose"] ?? "";
      there.add(id);
      const on = String(chosen.has(id));
      if (box.ariaChecked !== on) box.ariaChecked = on;
    }
    for (const id of chosen) if (!there.has(id)) chosen.delete(id);
    bar.hidden = chosen.size === 0;
    document.body.classList.toggle("choosing", chosen.size > 0);
    const count = bar.querySelector("[data-chosen-count]");
    const words = chosen.size === 0 ? "" : host.t("shell.chosen", { n: chosen.size });
    if (count !== null && count.textContent !== words) count.textContent = words;
  };
  const clear = () => {
    chosen.clear();
    show();
  };
  const change = async (body: object) => {
    try {
      await call("POST", "/api/workflows/bulk", { ids: [...chosen], ...body });
      clear();
      await host.refresh();
    } catch (fault) {
      host.toast(host.message(fault), "fail");
    }
  };

  cards.addEventListener("click", (event) => {
    const box = event.target instanceof Element ? event.target.closest("[data-choose]") : null;
    if (!(box instanceof HTMLElement)) return;
    const id = box.dataset["choose"] ?? "";
    if (!chosen.delete(id)) chosen.add(id);
    show();
  });
  bar.addEventListener("change", (event) => {
    const list = event.target;
    if (!(list instanceof HTMLSelectElement) || list.value === "") return;
    const to = list.value;
    list.value = "";
    void change({ do: "move", ...(to === "none" ? {} : { folder: to }) });
  });
  bar.addEventListener("submit", (event) => {
    event.preventDefault();
    const field = bar.querySelector<HTMLInputElement>("[name=tag]");
    const tag = field?.value.trim() ?? "";
    if (field === null || tag === "") return;
    field.value = "";
    void change({ do: "tag", tag });
  });
  bar.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null) return;
    const { chosenExport, chosenDelete, chosenClear, word = "" } = button.dataset;
    if (chosenClear !== undefined) clear();
    else if (chosenExport !== undefined)
      location.assign(`/export/workflows?ids=${[...chosen].join(",")}`);
    else if (chosenDelete !== undefined)
      void sure(host.t("shell.chosen.sure", { n: chosen.size }), word).then((yes) =>
        yes ? change({ do: "delete" }) : undefined,
      );
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.key === "Escape" &&
      chosen.size > 0 &&
      document.querySelector("dialog[open]") === null
    )
      clear();
  });
  new MutationObserver(show).observe(cards, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["aria-checked"],
  });
}
