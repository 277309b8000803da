// One value inside a row: plain text, or an expression when it is written as
// one.

import { useState } from "preact/hooks";
import type { Mode } from "../../core/expr-tokens.ts";
import { formOf } from "../../core/expr-tokens.ts";
import { ExprField } from "../expr/field.tsx";
import { requestExpressionFocus } from "../expr/focus.ts";
import { useForm } from "./context.ts";

type CellProps = {
  readonly pointer: string;
  readonly value: unknown;
  readonly label: string;
  readonly mode: Mode;
  readonly placeholder?: string | undefined;
  readonly invalid?: boolean;
  /** Show what the expression gives under it. */
  readonly result?: boolean;
  change(text: string): void;
};

/** Values that are not text are shown as the expression that gives them. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : `=${JSON.stringify(value)}`;
}

export function ValueCell({
  pointer,
  value,
  label,
  mode,
  placeholder,
  invalid = false,
  result = true,
  change,
}: CellProps) {
  const form = useForm();
  const text = cellText(value);
  // While somebody writes, the field stays what it is.
  const [writing, setWriting] = useState(false);
  const open =
    writing ||
    mode === "expr" ||
    (mode === "value" && (formOf(text) === "expression" || formOf(text) === "template"));
  if (open) {
    return (
      <ExprField
        source={text}
        mode={mode}
        label={label}
        invalid={invalid}
        placeholder={placeholder}
        pointer={pointer}
        result={result}
        change={change}
        writing={setWriting}
      />
    );
  }
  return (
    <input
      class="inp"
      type="text"
      autocomplete="off"
      spellcheck={false}
      aria-label={label}
      aria-invalid={invalid || undefined}
      value={text}
      placeholder={placeholder}
      readOnly={form.readOnly}
      onInput={(event) => {
        const next = event.currentTarget.value;
        if (mode === "value" && formOf(next) !== "constant" && formOf(next) !== "literal") {
          requestExpressionFocus(form, pointer, event.currentTarget.selectionStart ?? next.length);
        }
        change(next);
      }}
    />
  );
}
