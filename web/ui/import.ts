// A workflow file that is chosen, let go over the list of workflows or pasted
// there becomes a workflow. Loaded where there is such a list, with what it
// needs handed in, so that other pages carry nothing of it.

import type { t } from "../core/strings.ts";
import type { create } from "./actions.ts";
import type { toast } from "./toast.ts";

export type Host = {
  readonly make: typeof create;
  readonly toast: typeof toast;
  readonly t: typeof t;
  /** What to say of a fault. */
  readonly message: (fault: unknown) => string;
};

/** Above this a file is no workflow. */
const fileMax = 8_000_000;

export function watch(host: Host): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (target?.closest("[data-import]")) pick(host);
  });
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined) return;
    event.preventDefault();
    void read(host, file);
  });
  document.addEventListener("paste", (event) => {
    if (event.target instanceof Element && event.target.closest("input, textarea") !== null) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trimStart().startsWith("{")) return;
    event.preventDefault();
    void take(host, text, "");
  });
}

/** Asks for a file. */
function pick(host: Host): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) void read(host, file);
  });
  input.click();
}

async function read(host: Host, file: File): Promise<void> {
  if (file.size > fileMax) host.toast(host.t("shell.import.unknown"), "fail");
  else await take(host, await file.text(), file.name.replace(/\.[a-z]+$/i, ""));
}

async function take(host: Host, text: string, name: string): Promise<void> {
  const graph = graphOf(text);
  try {
    if (graph === undefined) host.toast(host.t("shell.import.unknown"), "fail");
    else await host.make({ graph, ...nameOf(graph, name) });
  } catch (fault) {
    host.toast(host.message(fault), "fail");
  }
}

function nameOf(graph: object, file: string): { readonly name?: string } {
  const own = "name" in graph && typeof graph.name === "string" ? graph.name : "";
  const name = own || file;
  return name === "" ? {} : { name };
}

/** A whole drawing; undefined: the text is something else. */
function graphOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const whole = typeof value === "object" && value !== null && "signalbox" in value;
    return whole && "nodes" in value && Array.isArray(value.nodes) ? value : undefined;
  } catch {
    return undefined;
  }
}
