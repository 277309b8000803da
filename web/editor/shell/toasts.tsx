// Messages that come and go.

import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";

export function Toasts() {
  const editor = useEditor();
  return (
    <div class="toasts ed-toasts" role="status" aria-live="polite">
      {editor.session.toasts.value.map((toast) => (
        <div class={toast.tone === "fail" ? "toast fail" : "toast"} key={toast.id}>
          <span>{toast.text}</span>
          {toast.action ? (
            <button
              type="button"
              onClick={() => {
                toast.action?.run();
                editor.dismiss(toast.id);
              }}
            >
              {toast.action.title}
            </button>
          ) : null}
          {toast.href ? <a href={toast.href.url}>{toast.href.title}</a> : null}
          <button
            type="button"
            class="ed-dismiss"
            aria-label={t("editor.dismiss")}
            onClick={() => editor.dismiss(toast.id)}
          >
            <Icon name="x" />
          </button>
        </div>
      ))}
    </div>
  );
}
