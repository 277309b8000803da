// Dialogs: open them, and show what belongs together.

/** Opens a dialog; an opener may say what its form is about. */
export function open(id: string, opener?: HTMLElement): void {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  for (const select of dialog.querySelectorAll<HTMLSelectElement>("select[data-shows]"))
    show(select);
  const { with: address, value = "" } = opener?.dataset ?? {};
  const form = dialog.querySelector("form");
  const field = dialog.querySelector<HTMLInputElement>("[data-filled]");
  if (address !== undefined && form !== null) form.dataset["post"] = address;
  if (field !== null) field.value = value;
  dialog.showModal();
}

/** Shows the fields that belong to the chosen sort; hidden ones are not sent. */
export function show(select: HTMLSelectElement): void {
  for (const field of select.form?.querySelectorAll<HTMLElement>("[data-for]") ?? []) {
    const wanted = field.dataset["for"] === select.value;
    field.hidden = !wanted;
    for (const input of field.querySelectorAll("input")) input.disabled = !wanted;
  }
}
