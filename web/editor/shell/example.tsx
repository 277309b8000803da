// Stepping through the counter-example of a problem: which way a run would
// have to take to get stuck.

import { useEffect } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { nameOf, portName } from "../state/words.ts";
import { t } from "../strings.ts";

export function Example() {
  const editor = useEditor();
  const { session, kernel } = editor;
  const shown = session.example.value;
  const steps = shown?.issue.example ?? [];
  const index = shown?.step ?? 0;
  useEffect(() => {
    if (!shown) return undefined;
    const walked = steps.slice(0, index + 1);
    for (const { node, port } of walked) {
      kernel.setStatus(node, "done");
      for (const edge of editor.drawing.outOf(node, port)) kernel.setEdge(edge.id, "taken");
    }
    const here = steps[index];
    const stuck = index === steps.length - 1 ? shown.issue.node : undefined;
    if (stuck !== undefined) kernel.setStatus(stuck, "failed");
    kernel.reveal(
      [here?.node, stuck].filter((id) => id !== undefined),
      true,
    );
    return () => kernel.clearStatus();
  }, [shown]);
  if (!shown) return null;
  const here = steps[index];
  const go = (step: number) => {
    session.example.value = { issue: shown.issue, step };
  };
  return (
    <section class="ed-example pop" aria-label={t("editor.example")}>
      <p>
        <b>{t("editor.example.step", { n: index + 1, all: steps.length })}</b>{" "}
        {here
          ? t("editor.example.takes", {
              step: nameOf(editor, here.node),
              port: portName(editor, here.node, here.port),
            })
          : null}
      </p>
      {index === steps.length - 1 ? <p class="ed-examplewhy">{shown.issue.message}</p> : null}
      <div class="row">
        <button type="button" class="btn sm" disabled={index === 0} onClick={() => go(index - 1)}>
          <Icon name="chevron-left" />
          {t("editor.example.back")}
        </button>
        <button
          type="button"
          class="btn sm"
          disabled={index >= steps.length - 1}
          onClick={() => go(index + 1)}
        >
          {t("editor.example.next")}
          <Icon name="chevron-right" />
        </button>
        <button
          type="button"
          class="btn sm ghost"
          onClick={() => (session.example.value = undefined)}
        >
          {t("editor.close")}
        </button>
      </div>
    </section>
  );
}
