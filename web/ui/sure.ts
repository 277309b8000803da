// Asks before what cannot be undone.

import { t } from "../core/strings.ts";

/** Asks before something that can't be undone. */
export function sure(question: string, word: string): Promise<boolean> {
  const dialog = element("dialog", "dlg");
  const body = element("div", "body");
  const text = element("p");
  text.textContent = question;
  text.id = "sure-question";
  dialog.setAttribute("aria-labelledby", text.id);
  body.append(text);
  const foot = element("footer");
  const no = button("btn", t("shell.cancel"));
  const yes = button("btn pri dng", word);
  foot.append(no, yes);
  const pad = element("header");
  dialog.append(pad, body, foot);
  document.body.append(dialog);
  return new Promise((answer) => {
    no.addEventListener("click", () => dialog.close());
    yes.addEventListener("click", () => dialog.close("yes"));
    dialog.addEventListener("close", () => {
      dialog.remove();
      answer(dialog.returnValue === "yes");
    });
    dialog.showModal();
  });
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

function button(className: string, word: string): HTMLButtonElement {
  const made = element("button", className);
  made.type = "button";
  made.textContent = word;
  return made;
}
