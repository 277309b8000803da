// What buttons and forms of the pages do through the API.

import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { open } from "./dialog.ts";
import { refresh } from "./morph.ts";
import { sure } from "./sure.ts";
import { toast } from "./toast.ts";

/** Makes an empty workflow, or one from a template or a graph, and opens it. */
export async function create(from: object = {}): Promise<void> {
  const name = "template" in from ? {} : { name: t("shell.untitled") };
  location.assign(`/w/${idOf(await call("POST", "/api/workflows", { ...name, ...from }))}`);
}

/** Makes a workflow from a template, runs its draft with its sample, and shows the run. */
export async function tryOut(template: string): Promise<void> {
  const id = idOf(await call("POST", "/api/workflows", { template }));
  const draft = await call("GET", `/api/workflows/${id}/draft`);
  const input = at(draft, "graph", "layout", "sample") ?? {};
  const run = await call("POST", `/api/workflows/${id}/runs`, { input, version: "draft" });
  location.assign(`/runs/${idOf(at(run, "run") ?? run)}`);
}

export async function remove(button: HTMLElement): Promise<void> {
  const { delete: url = "", sure: question = "", word = "", refresh: part = "" } = button.dataset;
  if (!(await sure(question, word))) return;
  await call(button.dataset["method"] ?? "DELETE", url);
  await again(part);
}

/** Sends a form of a dialog as JSON. */
export async function send(form: HTMLFormElement): Promise<void> {
  const { post: url = "", refresh: part = "", once, said: done } = form.dataset;
  const fault = form.querySelector<HTMLElement>("[data-fault]");
  const submit = form.querySelector<HTMLButtonElement>("[type=submit]");
  if (submit !== null) submit.disabled = true;
  try {
    const answer = await call(form.dataset["method"] ?? "POST", url, valuesOf(form));
    form.closest("dialog")?.close();
    form.reset();
    if (once !== undefined) showOnce(at(answer, ...once.split(".")));
    if (done !== undefined) toast(done);
    await again(part);
  } catch (e) {
    const words = fault?.querySelector("span");
    if (fault !== null && words !== null && words !== undefined) {
      words.textContent = message(e);
      fault.hidden = false;
    }
  } finally {
    if (submit !== null) submit.disabled = false;
  }
}

/** Sends the new value of a list of choices, and shows the old one when it is refused. */
export async function patch(select: HTMLSelectElement): Promise<void> {
  const { patch: url = "", name = "", refresh: part = "" } = select.dataset;
  try {
    await call("PATCH", url, { [name]: select.value });
  } finally {
    await again(part);
  }
}

export async function copy(id: string): Promise<void> {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLInputElement)) return;
  field.select();
  await navigator.clipboard.writeText(field.value);
  toast(t("shell.copied"));
}

/** A secret that is seen once. */
function showOnce(secret: unknown): void {
  const field = document.getElementById("once-value");
  if (typeof secret !== "string" || !(field instanceof HTMLInputElement)) return;
  field.value = secret;
  open("once");
  field.select();
}

async function again(part: string): Promise<void> {
  const target = document.getElementById(part === "cards" ? part : "lists");
  if (part !== "" && target !== null) await refresh(target, part);
}

/** Fields that may come several times. */
const MANY = ["secrets", "scopes", "workflows"];

function valuesOf(form: HTMLFormElement): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && (value !== "" || form.dataset["empty"] !== undefined))
      values[name] = MANY.includes(name) ? [...((values[name] as string[]) ?? []), value] : value;
  }
  return values;
}

function idOf(made: unknown): string {
  const id = at(made, "id") ?? at(made, "workflow", "id");
  if (typeof id !== "string") throw new Error("the answer has no id");
  return encodeURIComponent(id);
}
