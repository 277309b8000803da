// The report on a file: what would come of it, before anything is made. The
// server writes it, as a dialog; this shows it, asks again when a question is
// answered, and hands on what the person decides.

import { page } from "./page.ts";

export type Taken = {
  /** The workflow as a file of ours. */
  readonly graph: { readonly name?: string };
  readonly name: string;
};

export type Wanted = {
  readonly text: string;
  /** Name of the file, for what has none of its own. */
  readonly name: string;
  create(taken: Taken): Promise<void>;
  /** Where a drawing is open: puts it there. */
  insert?(taken: Taken): Promise<void>;
  /** Says what went wrong. */
  fault(message: string): void;
};

/** Above this the server reads no file. */
export const fileMax = 4_000_000;

export async function report(wanted: Wanted): Promise<void> {
  const answers: Record<string, string> = {};
  const first = await ask(wanted, answers);
  if (first === undefined) return;
  const before = document.activeElement;
  const dialog = first;
  document.body.append(dialog);
  const close = (): void => {
    dialog.close();
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
  const again = async (field: HTMLInputElement): Promise<void> => {
    answers[field.name] = field.value;
    dialog.ariaBusy = "true";
    const next = await ask(wanted, answers);
    dialog.ariaBusy = null;
    if (next === undefined) return;
    const body = dialog.querySelector(".imp-body");
    const scroll = body?.scrollTop ?? 0;
    const name = nameIn(dialog);
    for (const part of [...dialog.children]) part.remove();
    dialog.append(...next.childNodes);
    const put = dialog.querySelector(".imp-body");
    if (put !== null) put.scrollTop = scroll;
    const input = dialog.querySelector<HTMLInputElement>("#import-name");
    if (input !== null) input.value = name;
    for (const one of dialog.querySelectorAll<HTMLInputElement>("[data-import-answer]"))
      if (one.name === field.name && one.value === field.value) one.focus();
  };
  const take = async (button: HTMLButtonElement, what: Wanted["create"]): Promise<void> => {
    const graph = graphIn(dialog);
    if (graph === undefined || button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    try {
      await what({ graph, name: nameIn(dialog) });
      close();
    } catch (error) {
      button.ariaDisabled = null;
      wanted.fault(error instanceof Error ? error.message : String(error));
    }
  };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) close();
  });
  dialog.addEventListener("change", (event) => {
    const field = event.target;
    if (field instanceof HTMLInputElement && field.dataset["importAnswer"] !== undefined)
      void again(field);
  });
  dialog.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null) return;
    const { importClose, importCreate, importInsert } = button.dataset;
    if (importClose !== undefined) close();
    else if (importCreate !== undefined) void take(button, wanted.create);
    else if (importInsert !== undefined && wanted.insert) void take(button, wanted.insert);
  });
  dialog.showModal();
  dialog.querySelector<HTMLElement>("footer .pri")?.focus();
}

/** Asks the server; undefined: it said why not. */
async function ask(
  wanted: Wanted,
  answers: Readonly<Record<string, string>>,
): Promise<HTMLDialogElement | undefined> {
  const { text, name } = wanted;
  const found = await page("POST", "/import", {
    text,
    name,
    answers,
    insert: wanted.insert !== undefined,
  });
  const dialog = found.querySelector("dialog");
  if (dialog === null) {
    wanted.fault(found.querySelector("#import-fault")?.textContent ?? "");
    return undefined;
  }
  return document.importNode(dialog, true);
}

function graphIn(dialog: HTMLElement): Taken["graph"] | undefined {
  const text = dialog.querySelector("#import-graph")?.getAttribute("value");
  return text ? (JSON.parse(text) as Taken["graph"]) : undefined;
}

function nameIn(dialog: HTMLElement): string {
  return dialog.querySelector<HTMLInputElement>("#import-name")?.value.trim() ?? "";
}

/** Asks for a file. */
export function pick(take: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,.scxml,.xml,application/json,application/scxml+xml,text/xml";
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) take(file);
  });
  input.click();
}

/** The name of a file without its ending. */
export function stem(file: File): string {
  return file.name.replace(/\.[a-z]+$/i, "");
}

/** Whether a text may be a file that can be read: an object, or a document. */
export function readable(text: string): boolean {
  return /^\s*[{<]/.test(text);
}
