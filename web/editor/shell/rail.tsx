// The column of tools at the left.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { togglePanel } from "../actions/panel.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import type { Panel, QuickAdd } from "../state/signals.ts";
import { t } from "../strings.ts";
import { nextTheme, themeNow } from "./theme.ts";

export function Rail() {
  const editor = useEditor();
  const { session } = editor;
  const ready = session.loading.value === "ready";
  const issues = session.issues.value;
  const errors = issues.filter((i) => i.severity === "error").length;
  const add = () => {
    session.quickAdd.value = addAfterFocused(editor);
  };
  return (
    <nav class="rail ed-rail" aria-label={t("editor.region.rail")}>
      <button
        type="button"
        class="add"
        aria-label={t("editor.rail.add")}
        title={t("editor.rail.addHint")}
        disabled={!ready || session.readOnly.value}
        onClick={add}
      >
        <Icon name="plus" />
      </button>
      <PanelButton panel="outline" icon="list-tree" label={t("editor.rail.outline")} />
      <PanelButton panel="find" icon="search" label={t("editor.rail.find")} />
      <PanelButton
        panel="problems"
        icon="shield-alert"
        label={
          issues.length === 0
            ? t("editor.rail.noProblems")
            : t("editor.rail.problems", { n: issues.length })
        }
      >
        {issues.length > 0 ? (
          <span class={errors > 0 ? "dotn fail" : "dotn"}>{issues.length}</span>
        ) : null}
      </PanelButton>
      <PanelButton
        panel="comments"
        icon="message-square"
        label={t("editor.rail.comments", { n: session.unread.value })}
      >
        {session.unread.value > 0 ? <span class="dotn new">{session.unread.value}</span> : null}
      </PanelButton>
      <span class="sp" />
      <button
        type="button"
        aria-label={t("editor.rail.keys")}
        title={t("editor.rail.keysHint")}
        onClick={() => (session.dialog.value = "keys")}
      >
        <Icon name="keyboard" />
      </button>
      <ThemeButton />
    </nav>
  );
}

type PanelButtonProps = {
  readonly panel: Panel;
  readonly icon: string;
  readonly label: string;
  readonly children?: ComponentChildren;
};

function PanelButton({ panel, icon, label, children }: PanelButtonProps) {
  const editor = useEditor();
  const { session } = editor;
  return (
    <button
      type="button"
      aria-pressed={session.panel.value === panel}
      aria-label={label}
      title={label}
      disabled={session.loading.value !== "ready"}
      onClick={() => togglePanel(editor, panel)}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A step added from the rail follows the focused one, on its first free port. */
function addAfterFocused(editor: Editor): QuickAdd {
  const [only, ...more] = editor.session.selection.value.nodes;
  if (only === undefined || more.length > 0) return {};
  const node = editor.drawing.nodes.get(only);
  const spec = node && editor.spec(node.kind);
  const port = spec?.ports.find(
    (p) => !p.failure && editor.drawing.outOf(only, p.name).length === 0,
  );
  return port ? { from: { node: only, port: port.name } } : {};
}

const themeIcons = { light: "sun", dark: "moon", system: "monitor" } as const;

function ThemeButton() {
  const editor = useEditor();
  const [theme, setTheme] = useState(themeNow());
  const name = t(`editor.theme.${theme}`);
  return (
    <button
      type="button"
      aria-label={t("editor.theme", { name })}
      title={t("editor.theme", { name })}
      onClick={() => {
        setTheme(nextTheme());
        editor.kernel.refreshTheme();
      }}
    >
      <Icon name={themeIcons[theme]} />
    </button>
  );
}
