// A panel beside the rail.

import type { ComponentChildren } from "preact";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";

export function SidePanel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const editor = useEditor();
  const close = () => {
    editor.session.panel.value = undefined;
    editor.kernel.focusCanvas();
  };
  return (
    <section
      class="ed-panel"
      aria-label={title}
      onKeyDown={(e) => {
        if (e.key === "Escape" && !e.defaultPrevented && !e.isComposing) close();
      }}
    >
      <header>
        <h2>{title}</h2>
        {actions}
        <button
          type="button"
          class="btn ghost sm sq"
          aria-label={t("editor.closePanel", { panel: title })}
          onClick={close}
        >
          <Icon name="x" />
        </button>
      </header>
      {children}
    </section>
  );
}
