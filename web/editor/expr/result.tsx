// What an expression gives for the sample event, asked from the server.

import { useEffect, useState } from "preact/hooks";
import { preview } from "../../core/expr-complete.ts";
import type { Mode } from "../../core/expr-tokens.ts";
import { useForm } from "../forms/context.ts";
import { Icon } from "../icon.tsx";
import type { ExprAnswer } from "../net/api.ts";
import { t } from "../strings.ts";

const pause = 200; // ms without a keystroke before the server is asked

/** The newest answer for a source; undefined while there is none. */
export function useExprAnswer(
  source: string,
  mode: Mode,
  enabled: boolean,
): ExprAnswer | undefined {
  const form = useForm();
  const [answer, setAnswer] = useState<{ source: string; answer: ExprAnswer } | undefined>(
    undefined,
  );
  useEffect(() => {
    if (!enabled || source.trim() === "" || mode === "constant") return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      form
        .check(source, mode, stop.signal)
        .then((got) => setAnswer({ source, answer: got }))
        .catch(() => undefined); // offline or overtaken: the old answer stays dimmed
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [source, mode, enabled, form.nodeID]);
  return answer?.source === source ? answer.answer : undefined;
}

export function ExprResult({
  source,
  answer,
  told,
}: {
  readonly source: string;
  readonly answer: ExprAnswer | undefined;
  readonly told: boolean; // the field itself shows its fault already
}) {
  const { sampled } = useForm();
  if (source.trim() === "" || source.trim() === "=") return null;
  if (!answer) return <p class="ed-result wait">&nbsp;</p>;
  if (answer.error && told) return null;
  if (answer.error) {
    return (
      <p class="ed-result bad">
        <Icon name="circle-alert" />
        <span>
          {t("editor.expr.fault", { message: answer.error.message, column: answer.error.column })}
        </span>
      </p>
    );
  }
  if (answer.value_error && !sampled) {
    return <p class="ed-result">{t("editor.expr.noSample")}</p>;
  }
  if (answer.value_error) {
    return (
      <p class="ed-result warn">
        <Icon name="triangle-alert" />
        <span>{t("editor.expr.noValue", { message: answer.value_error })}</span>
      </p>
    );
  }
  return (
    <p class="ed-result">
      <span class="arrow" aria-hidden="true">
        →
      </span>
      <span class="sr">{t("editor.expr.gives")}</span>
      <code>{preview(answer.value)}</code>
    </p>
  );
}
