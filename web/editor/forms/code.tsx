// JSON and source code, in an editor of several lines. JSON is taken only
// while it is whole; until then the field says what is wrong.

import { useLayoutEffect, useState } from "preact/hooks";
import { ExprField } from "../expr/field.tsx";
import { requestExpressionFocus } from "../expr/focus.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";

export function JSONControl({ field, value, id, change, invalid, describedBy }: ControlProps) {
  const form = useForm();
  const plain = typeof value === "string"; // text, kept as it is written
  const given = plain ? value : written(value);
  const [typed, setTyped] = useState<string | undefined>(undefined);
  useLayoutEffect(() => {
    setTyped((text) => (text !== undefined && sameJSON(text, value) ? text : undefined));
  }, [given]);
  const text = typed ?? given;
  const fault = plain || text.trim() === "" ? undefined : jsonFault(text);
  const input = (next: string) => {
    setTyped(next);
    if (next.trim() === "") change(undefined);
    else if (jsonFault(next) === undefined && !(plain && isPlainWord(next)))
      change(JSON.parse(next));
    else if (next.trimStart().startsWith("=")) {
      // Another control takes its place.
      requestExpressionFocus(form, field.pointer, next.length);
      change(next);
    } else if (plain) change(next);
  };
  return (
    <>
      <ExprField
        source={text}
        mode={plain ? "value" : "json"}
        multiline
        labelledBy={`${id}-label`}
        describedBy={describedBy}
        invalid={invalid || fault !== undefined}
        placeholder={field.schema["x-placeholder"] ?? "{ }"}
        pointer={field.pointer}
        result={false}
        change={input}
      />
      {fault ? (
        <p class="err">
          <Icon name="circle-alert" />
          <span>
            {t("editor.form.badJSON", { fault })}{" "}
            <button type="button" class="lnk" onClick={() => change(text)}>
              {t("editor.form.asText")}
            </button>
          </span>
        </p>
      ) : null}
    </>
  );
}

function written(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

/** Text that would also be JSON, as 12 or true, stays text once it is text. */
function isPlainWord(text: string): boolean {
  return !/^\s*[[{]/.test(text);
}

export function CodeControl({ field, value, id, change, invalid, describedBy }: ControlProps) {
  return (
    <ExprField
      source={typeof value === "string" ? value : ""}
      mode={field.mode === "expr" ? "expr" : "constant"}
      multiline
      labelledBy={`${id}-label`}
      describedBy={describedBy}
      invalid={invalid}
      placeholder={field.schema["x-placeholder"]}
      pointer={field.pointer}
      result={field.mode === "expr"}
      change={change}
    />
  );
}

/** What keeps the text from being JSON, or undefined. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sameJSON(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return true; // unfinished text stays until it is whole
  }
}
