// Text, numbers and spans of time.

import { useEffect, useRef, useState } from "preact/hooks";
import { formOf } from "../../core/expr-tokens.ts";
import { requestExpressionFocus } from "../expr/focus.ts";
import { t } from "../strings.ts";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";

export function TextControl({ field, value, id, change, describedBy, invalid }: ControlProps) {
  const form = useForm();
  const text = typeof value === "string" ? value : "";
  const input = (event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    const next = event.currentTarget.value;
    if (field.mode === "value" && formOf(next) !== "constant" && formOf(next) !== "literal") {
      requestExpressionFocus(
        form,
        field.pointer,
        event.currentTarget.selectionStart ?? next.length,
      );
    }
    change(next);
  };
  const common = {
    id,
    class: "inp",
    value: text,
    placeholder: field.schema["x-placeholder"],
    readOnly: form.readOnly,
    spellcheck: false,
    autocomplete: "off",
    "aria-describedby": describedBy,
    "aria-invalid": invalid || undefined,
    onInput: input,
  };
  if (field.widget === "area") return <textarea rows={4} {...common} />;
  return (
    <span class="ed-unit">
      <input type="text" {...common} />
      {field.schema["x-unit"] ? <span class="u">{field.schema["x-unit"]}</span> : null}
    </span>
  );
}

export function NumberControl({ field, value, id, change, describedBy, invalid }: ControlProps) {
  const form = useForm();
  const given = typeof value === "number" ? String(value) : "";
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const fallback = field.schema.default;
  const input = (event: Event & { currentTarget: HTMLInputElement }) => {
    const text = event.currentTarget.value;
    if (text.startsWith("=") && field.mode === "value") {
      requestExpressionFocus(form, field.pointer, text.length);
      setTyped(undefined);
      change(text);
      return;
    }
    setTyped(text);
    if (text.trim() === "") change(undefined);
    else if (isNumber(text, field.schema.type)) change(Number(text));
  };
  const broken = typed !== undefined && typed.trim() !== "" && !isNumber(typed, field.schema.type);
  return (
    <span class="ed-unit">
      <input
        id={id}
        class="inp tn"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        value={typed ?? given}
        placeholder={
          field.schema["x-placeholder"] ??
          (typeof fallback === "number" ? String(fallback) : undefined)
        }
        readOnly={form.readOnly}
        aria-describedby={describedBy}
        aria-invalid={invalid || broken || undefined}
        title={broken ? t("editor.form.notNumber") : undefined}
        onInput={input}
        onBlur={() => setTyped(undefined)}
        onKeyDown={(event) =>
          step(event, field.schema.minimum, field.schema.maximum, value, change)
        }
      />
      {field.schema["x-unit"] ? <span class="u">{field.schema["x-unit"]}</span> : null}
    </span>
  );
}

function isNumber(text: string, type: string | undefined): boolean {
  const number = Number(text);
  return Number.isFinite(number) && (type !== "integer" || Number.isInteger(number));
}

function step(
  event: KeyboardEvent,
  minimum: number | undefined,
  maximum: number | undefined,
  value: unknown,
  change: (value: unknown) => void,
): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  const by = (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1);
  const next = (typeof value === "number" ? value : 0) + by;
  change(
    Math.min(
      maximum ?? Number.MAX_SAFE_INTEGER,
      Math.max(minimum ?? Number.MIN_SAFE_INTEGER, next),
    ),
  );
}

const units = [
  ["ms", "editor.unit.ms"],
  ["s", "editor.unit.s"],
  ["m", "editor.unit.m"],
  ["h", "editor.unit.h"],
] as const;

/** A span of time: a number and a unit, or whatever was written by hand. */
export function DurationControl({ field, value, id, change, describedBy, invalid }: ControlProps) {
  const form = useForm();
  const text = typeof value === "string" ? value : "";
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const { default: given, "x-placeholder": example } = field.schema;
  const fallback = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(
    typeof given === "string" ? given : (example ?? ""),
  );
  const [unit, setUnit] = useState(parts?.[2] ?? fallback?.[2] ?? "s");
  const last = useRef(text);
  useEffect(() => {
    if (last.current !== text && parts?.[2]) setUnit(parts[2]);
    last.current = text;
  }, [text, parts?.[2]]);
  const plain = text === "" || parts !== null;
  const input = (event: Event & { currentTarget: HTMLInputElement }) => {
    const typed = event.currentTarget.value.trim();
    if (typed.startsWith("=") && field.mode === "value")
      requestExpressionFocus(form, field.pointer, typed.length);
    if (typed === "") change(undefined);
    else change(/^\d+(\.\d+)?$/.test(typed) ? `${typed}${unit}` : typed);
  };
  const pickUnit = (event: Event & { currentTarget: HTMLSelectElement }) => {
    setUnit(event.currentTarget.value);
    if (parts) change(`${parts[1]}${event.currentTarget.value}`);
  };
  return (
    <span class="ed-span">
      <input
        id={id}
        class="inp tn"
        type="text"
        autocomplete="off"
        value={parts?.[1] ?? text}
        placeholder={fallback?.[1] ?? example}
        readOnly={form.readOnly}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        onInput={input}
      />
      {plain ? (
        <select
          class="sel"
          aria-label={t("editor.form.unitOf", { field: field.title })}
          value={parts?.[2] ?? unit}
          disabled={form.readOnly}
          onChange={pickUnit}
        >
          {units.map(([name, words]) => (
            <option key={name} value={name}>
              {t(words)}
            </option>
          ))}
        </select>
      ) : null}
    </span>
  );
}
