// The controls of the test run that is shown on the canvas.

import { isOver } from "../../core/run-state.ts";
import { RigBar } from "../../rig/bar.tsx";
import { t } from "../../rig/words.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { closeTest, startTest } from "./run.ts";

const SHOWN_MAX = 4_000; // characters of a result

export function TestPanel() {
  const editor = useEditor();
  const test = editor.session.test.value;
  if (test === undefined) return null;
  const state = test.state.value;
  const over = isOver(state.status);
  const again = () =>
    startTest(editor, test.start).catch((fault: unknown) =>
      editor.toast(fault instanceof Error ? fault.message : String(fault), { tone: "fail" }),
    );
  return (
    <section class="rig" aria-label={t("rig.region")} data-run={test.id} data-status={state.status}>
      <RigBar
        key={test.id}
        rig={test.rig}
        test={state.test}
        status={state.status}
        title={(key) => test.title(key)}
      >
        {over ? (
          <button type="button" class="btn sm pri" onClick={() => void again()}>
            <Icon name="rotate-ccw" />
            {t("rig.again")}
          </button>
        ) : null}
        <a
          class="btn sm ghost sq"
          href={`/runs/${encodeURIComponent(test.id)}`}
          aria-label={t("rig.open")}
          title={t("rig.open")}
        >
          <Icon name="activity" />
        </a>
        <button
          type="button"
          class="btn sm ghost sq"
          aria-label={t("rig.close")}
          title={t("rig.close")}
          onClick={() => {
            closeTest(editor);
            editor.kernel.focusCanvas();
          }}
        >
          <Icon name="x" />
        </button>
      </RigBar>
      <End fault={state.error?.message} result={test.result.value} />
    </section>
  );
}

function End({ fault, result }: { readonly fault: string | undefined; readonly result: unknown }) {
  if (fault !== undefined) return <p class="rig-end fail">{fault}</p>;
  if (result === undefined || result === null) return null;
  const whole = JSON.stringify(result, undefined, 2);
  return (
    // A long result scrolls, so it has to be reachable by keyboard.
    <pre
      class="rig-end"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable region
      tabIndex={0}
      role="region"
      aria-label={t("rig.result")}
    >
      {whole.length > SHOWN_MAX ? `${whole.slice(0, SHOWN_MAX)}\n…` : whole}
    </pre>
  );
}
