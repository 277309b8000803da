// The page of queues: pause, limits, and the editor of the route table.

import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { refresh } from "./morph.ts";
import { drawRoutes, type Props } from "./routes.ts";
import { sure } from "./sure.ts";
import { toast } from "./toast.ts";

/** Makes the page work; called once, when it is there. */
export function watch(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const url = button?.dataset["hold"];
    if (button !== null && url !== undefined) void hold(button, url);
    if (button?.dataset["learned"] !== undefined) void relearn(button);
    const limits = button?.dataset["open"]?.startsWith("limits-") === true;
    if (button !== null && limits) void fill(button.dataset["open"] ?? "");
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset["queueForm"] === undefined) return;
    event.preventDefault();
    void setLimits(form);
  });
  const of = document.querySelector<HTMLSelectElement>("select[data-goes]");
  of?.addEventListener("change", () => of.form?.submit());
  const place = document.querySelector<HTMLElement>("[data-routes]");
  const props = document.getElementById("routes")?.textContent;
  if (place !== null && props !== null && props !== undefined)
    drawRoutes(place, JSON.parse(props) as Props, place.dataset["may"] === "true");
}

async function again(): Promise<void> {
  const rows = document.getElementById("rows");
  if (rows !== null) await refresh(rows, "rows");
}

async function hold(button: HTMLButtonElement, url: string): Promise<void> {
  button.setAttribute("aria-disabled", "true");
  try {
    await call("POST", url);
    // What has the focus is left as it is by a morph: the new button gets it.
    const row = button.closest<HTMLElement>("tr");
    button.blur();
    await again();
    row?.querySelector<HTMLElement>("[data-hold]")?.focus();
  } catch (fault) {
    toast(message(fault), "fail");
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

/** Pins a learned rule, lets it go, or makes it forget. */
async function relearn(button: HTMLButtonElement): Promise<void> {
  const { learned = "", pin, question, word = "" } = button.dataset;
  if (question !== undefined && !(await sure(question, word))) return;
  try {
    const table = await call("POST", learned, pin === undefined ? undefined : { queue: pin });
    document.dispatchEvent(new CustomEvent("sb:routes", { detail: table }));
    button.blur();
    const region = document.getElementById("learned");
    if (region === null) return;
    await refresh(region, "learned");
    document.getElementById(button.id)?.focus();
  } catch (fault) {
    toast(message(fault), "fail");
  }
}

/** Fills a dialog with the limits as they are now: somebody may have changed them. */
async function fill(id: string): Promise<void> {
  const form = document.getElementById(id)?.querySelector("form");
  if (form === null || form === undefined) return;
  const now = await call(
    "GET",
    `/api/queues/${encodeURIComponent(form.dataset["queueForm"] ?? "")}`,
  );
  form.dataset["revision"] = String(at(now, "revision") ?? 0);
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(
    "input, select",
  )) {
    const value = at(now, "settings", field.name);
    field.value = value === undefined || value === 0 ? "" : String(value);
  }
}

/** Sends the limits with the revision that the page was drawn with. */
async function setLimits(form: HTMLFormElement): Promise<void> {
  const queue = form.dataset["queueForm"] ?? "";
  const values = new FormData(form);
  const text = (name: string): string => String(values.get(name) ?? "").trim();
  const number = (name: string): number => Number(text(name)) || 0;
  const url = `/api/queues/${encodeURIComponent(queue)}`;
  const fault = form.querySelector<HTMLElement>("[data-fault]");
  try {
    const now = await call("GET", url);
    const kept = at(now, "settings") as Record<string, unknown>;
    const rate = number("rate");
    const settings = {
      ...kept,
      concurrency: number("concurrency"),
      rate,
      per: rate > 0 ? text("per") || "1s" : "",
      fair: text("fair"),
      backlog: number("backlog"),
      handover: text("handover"),
    };
    const answer = await call("PUT", url, {
      revision: Number(form.dataset["revision"] ?? 0),
      settings,
    });
    form.dataset["revision"] = String(at(answer, "revision") ?? "");
    form.closest("dialog")?.close();
    if (fault !== null) fault.hidden = true;
    toast(t("queues.saved"));
    await again();
  } catch (e) {
    const words = fault?.querySelector("span");
    if (fault !== null && words !== null && words !== undefined) {
      words.textContent = message(e);
      fault.hidden = false;
    }
  }
}
