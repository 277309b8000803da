// When plain text turns into an expression while someone types, its field is
// replaced by the expression editor; the caret must not get lost.

import type { FormEnvironment } from "../forms/context.ts";

export function requestExpressionFocus(
  form: Pick<FormEnvironment, "focusNext">,
  pointer: string,
  caret: number,
): void {
  form.focusNext.current = { pointer, caret };
}

/** The caret's place when this field is the one that was asked for. */
export function takeExpressionFocus(
  form: Pick<FormEnvironment, "focusNext">,
  pointer: string,
): number | undefined {
  const wanted = form.focusNext.current;
  if (wanted?.pointer !== pointer) return undefined;
  form.focusNext.current = undefined;
  return wanted.caret;
}
