// A modal dialog: the browser's own, with a heading and a way out.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";

type ModalProps = {
  readonly title: string;
  readonly wide?: boolean;
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly bare?: boolean;
};

export function Modal({ title, wide = false, bare = false, footer, children }: ModalProps) {
  const editor = useEditor();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const close = () => {
    editor.session.dialog.value = undefined;
  };
  return (
    <dialog
      class={`dlg ed-dlg${wide ? " wide" : ""}${bare ? " ed-bare" : ""}`}
      aria-labelledby={id}
      ref={dialog}
      onCancel={(e) => {
        e.preventDefault();
        close();
      }}
      onPointerDown={(e) => {
        // Outside of the dialog is its own backdrop.
        if (e.target === dialog.current) close();
      }}
    >
      <div class="ed-dlgin">
        <header class={bare ? "sr" : undefined}>
          <h2 id={id}>{title}</h2>
          <button type="button" class="btn ghost sq" aria-label={t("editor.close")} onClick={close}>
            <Icon name="x" />
          </button>
        </header>
        {children}
        {footer ? <footer>{footer}</footer> : null}
      </div>
    </dialog>
  );
}
