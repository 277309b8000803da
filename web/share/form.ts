// What a guest sends: a form that was filled in, and nothing else.

import { said } from "../core/sentence.ts";
import { t } from "../core/strings.ts";
import { at, message, Refusal } from "../run/net.ts";
import { toast } from "../run/toast.ts";

/** Sends fields; throws Refusal with a sentence for a person. */
export async function post(path: string, fields?: URLSearchParams): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { Accept: "application/json" },
      ...(fields === undefined ? {} : { body: fields }),
    });
  } catch {
    throw new Refusal(0, t("shell.offline"));
  }
  const value: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return value;
  const detail = at(value, "detail");
  const errors = at(value, "errors");
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const expected = at(first, "expected");
  const sentence = typeof detail === "string" ? said(detail) : t("shell.failed");
  throw new Refusal(
    answer.status,
    typeof expected === "string" ? `${sentence} (${said(expected)})` : sentence,
  );
}

/** Starts a run with what the guest filled in, and goes to it. */
export function listen(): void {
  const form = document.getElementById("share-form");
  if (!(form instanceof HTMLFormElement)) return;
  const fault = form.querySelector<HTMLElement>("[data-fault]");
  const button = form.querySelector<HTMLButtonElement>("[type=submit]");
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    if (button?.disabled === true) return;
    if (button !== null) button.disabled = true;
    if (fault !== null) fault.hidden = true;
    post(form.action, valuesOf(form)).then(
      (made) => {
        const url = at(made, "url");
        if (typeof url === "string") location.assign(url);
      },
      (why: unknown) => {
        if (button !== null) button.disabled = false;
        const words = fault?.querySelector("span");
        if (fault === null || words === null || words === undefined) return;
        words.textContent = message(why);
        fault.hidden = false;
      },
    );
  });
}

function valuesOf(form: HTMLFormElement): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === "string") fields.append(name, value);
  return fields;
}

/** Copies the workflow into the workspace of a member, and opens it there. */
export function copies(button: HTMLButtonElement): void {
  const path = button.dataset["copyShared"] ?? "";
  button.addEventListener("click", () => {
    button.disabled = true;
    post(path).then(
      (made) => {
        const id = at(made, "id");
        if (typeof id === "string") location.assign(`/w/${id}`);
      },
      (why: unknown) => {
        button.disabled = false;
        toast(message(why), "fail");
      },
    );
  });
}
