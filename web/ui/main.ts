// The script of every page that is not an island: live regions, theme,
// dialogs, keys, and the few buttons that call the API. Everything hangs on
// data attributes, by delegation, so that morphed content works at once.

import { t } from "../core/strings.ts";
import { keepAgo } from "./ago.ts";
import { message } from "./api.ts";
import { open, show } from "./dialog.ts";
import { keepLive, refresh } from "./morph.ts";
import { watchLine } from "./offline.ts";
import { nextTheme, setMotion, setTheme } from "./theme.ts";
import { toast } from "./toast.ts";

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : undefined;
  const menu = target?.closest("details.drop");
  for (const other of document.querySelectorAll<HTMLDetailsElement>("details.drop[open]")) {
    if (other !== menu) other.open = false;
  }
  const button = target?.closest<HTMLElement>("button");
  if (button?.ariaDisabled !== "true" && button instanceof HTMLElement) press(button);
});

function press(button: HTMLElement): void {
  const {
    open: dialog,
    new: fresh,
    try: sample,
    use: template,
    delete: url,
    copy: from,
    close,
    themeNext,
  } = button.dataset;
  if (dialog !== undefined) open(dialog, button);
  else if (close !== undefined) button.closest("dialog")?.close();
  else if (themeNext !== undefined) nextTheme();
  else if (from !== undefined) during(button, (a) => a.copy(from));
  else if (url !== undefined) during(button, (a) => a.remove(button));
  else if (fresh !== undefined) during(button, (a) => a.create());
  else if (sample !== undefined) during(button, (a) => a.tryOut(sample));
  else if (template !== undefined) during(button, (a) => a.create({ template }));
}

type Actions = typeof import("./actions.ts");

/** What calls the API comes when it is first needed. */
async function act(work: (actions: Actions) => Promise<void>): Promise<void> {
  await work(await import("./actions.ts"));
}

/** Also what could not be loaded because the server is away. */
const tell = (fault: unknown): void => toast(message(fault), "fail");

/** Keeps a button from being pressed twice, and says what went wrong. */
function during(button: Element, work: (actions: Actions) => Promise<void>): void {
  button.setAttribute("aria-disabled", "true");
  act(work)
    .catch(tell)
    .finally(() => button.removeAttribute("aria-disabled"));
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset["post"] === undefined) return;
  event.preventDefault();
  act((a) => a.send(form)).catch(tell);
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field instanceof HTMLSelectElement && field.dataset["shows"] !== undefined) show(field);
  if (field instanceof HTMLSelectElement && field.dataset["patch"] !== undefined)
    during(field, (a) => a.patch(field));
  if (!(field instanceof HTMLInputElement)) return;
  if (field.dataset["motion"] !== undefined) setMotion(field.checked);
  const { value } = field;
  if (
    field.dataset["themeSet"] !== undefined &&
    (value === "light" || value === "dark" || value === "system")
  )
    setTheme(value);
});

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
    event.preventDefault();
    import("./palette.ts").then((m) => m.openPalette()).catch(tell);
    return;
  }
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.drop[open]")) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
    return;
  }
  const focused = event.target;
  if (
    focused instanceof Element &&
    focused.closest("input, select, textarea, dialog, [contenteditable]") !== null
  )
    return;
  if (event.key === "?") {
    open("keys");
    return;
  }
  const target = document.querySelector<HTMLElement>(
    `[data-key="${CSS.escape(event.key.toLowerCase())}"]`,
  );
  if (target === null) return;
  event.preventDefault();
  if (target instanceof HTMLButtonElement) target.click();
  else target.focus();
});

// What only some pages need.
if (
  document.querySelector(
    "[data-import],#cards,[data-routes],[data-letters],[data-cases],[data-runs]",
  ) !== null
)
  void import("./own.ts").then((own) =>
    own.watch({ toast, message, t, refresh, make: (from) => act((a) => a.create(from)) }),
  );

keepAgo();
keepLive();
watchLine();
