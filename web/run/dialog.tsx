// The frame of a dialog, and what is said in it when something goes wrong.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";

type DialogProps = {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
};

export function Dialog({ title, close, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class={wide ? "dlg wide" : "dlg"}
      ref={dialog}
      aria-labelledby="dlg-title"
      onClose={close}
    >
      <header>
        <h2 id="dlg-title">{title}</h2>
        <button
          type="button"
          class="btn ghost sq"
          aria-label={t("shell.close")}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="x" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <div role="alert">
      {text === "" ? undefined : (
        <p class="note fail">
          <Icon name="triangle-alert" />
          {text}
        </p>
      )}
    </div>
  );
}
