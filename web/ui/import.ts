// A file that is chosen, let go over the list of workflows or pasted there
// becomes a workflow, once the person has seen what would come of it. Loaded
// where there is such a list, with what it needs handed in, so that other
// pages carry nothing of it.

import type { t } from "../core/strings.ts";
import { fileMax, pick, readable, report, stem } from "../importing/report.ts";
import type { create } from "./actions.ts";
import type { toast } from "./toast.ts";

export type Host = {
  readonly make: typeof create;
  readonly toast: typeof toast;
  readonly t: typeof t;
  /** What to say of a fault. */
  readonly message: (fault: unknown) => string;
};

export function watch(host: Host): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    if (target?.closest("[data-import]")) pick((file) => void read(host, file));
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
    const { target } = event;
    if (target instanceof Element && target.closest("input, textarea, dialog") !== null) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!readable(text)) return;
    event.preventDefault();
    void take(host, text, "");
  });
}

async function read(host: Host, file: File): Promise<void> {
  if (file.size > fileMax) host.toast(host.t("shell.import.unknown"), "fail");
  else await take(host, await file.text(), stem(file));
}

async function take(host: Host, text: string, name: string): Promise<void> {
  const fault = (words: string) => host.toast(words || host.t("shell.import.unknown"), "fail");
  try {
    await report({
      text,
      name,
      fault,
      create: async (made) => {
        try {
          await host.make({ graph: made.graph, name: made.name });
        } catch (error) {
          throw new Error(host.message(error));
        }
      },
    });
  } catch (error) {
    fault(host.message(error));
  }
}
