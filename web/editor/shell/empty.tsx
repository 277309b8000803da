// The canvas before there is anything on it.

import type { Spec } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";

async function start(editor: Editor, spec: Spec): Promise<void> {
  const { addStep } = await import("../actions/add.ts");
  addStep(editor, spec, {});
}

export function EmptyCanvas() {
  const editor = useEditor();
  const { session } = editor;
  void session.revision.value;
  if (editor.drawing.nodes.size > 0 || session.quickAdd.value) return null;
  if (session.readOnly.value) {
    return (
      <section class="ed-empty pop">
        <h2>{t("editor.empty.readOnly")}</h2>
      </section>
    );
  }
  const triggers = session.specs.value.filter((s) => s.work === "trigger");
  return (
    <section class="ed-empty pop" aria-labelledby="ed-empty-title">
      <h2 id="ed-empty-title">{t("editor.empty.title")}</h2>
      <p>{t("editor.empty.text")}</p>
      <div class="ed-starts">
        {triggers.map((spec) => (
          <button
            type="button"
            key={spec.name}
            class="ed-start"
            onClick={() => void start(editor, spec)}
          >
            <span class={`tile t-${spec.tile}`}>
              <Icon name={spec.icon} />
            </span>
            <span>
              <b>{spec.title}</b>
              <small>{firstSentence(spec.help)}</small>
            </span>
          </button>
        ))}
      </div>
      <p class="hint">{t("editor.empty.hint")}</p>
    </section>
  );
}

export function firstSentence(text: string): string {
  return /^.*?(?:\.(?= )|。)/s.exec(text)?.[0] ?? text;
}
