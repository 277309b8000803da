// One labelled field: label and fx button above, the control, then what is
// wrong with it or what it means.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { formOf } from "../../core/expr-tokens.ts";
import type { Field } from "../../core/form-schema.ts";
import { at } from "../../core/form-schema.ts";
import type { Issue } from "../../core/graph.ts";
import { ExprField } from "../expr/field.tsx";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { ChoiceControl, SelectControl, SwitchControl } from "./choice.tsx";
import { CodeControl, JSONControl } from "./code.tsx";
import { ConditionRows, isCondition } from "./condition.tsx";
import { FormProvider, useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";
import { CredentialControl } from "./credential.tsx";
import { PairsControl } from "./pairs.tsx";
import { ListControl, RowsControl } from "./rows.tsx";
import { RulesControl } from "./rules.tsx";
import { SchemaControl } from "./schema.tsx";
import { Section } from "./section.tsx";
import { DurationControl, NumberControl, TextControl } from "./text.tsx";

/** Widgets that are a group of controls and name themselves by a legend. */
const groups = new Set(["rules", "pairs", "rows", "list", "section", "choice", "schema"]);
/** Widgets whose whole value may be an expression instead. */
const flips = new Set([
  "text",
  "area",
  "choice",
  "select",
  "number",
  "switch",
  "duration",
  "json",
  "pairs",
  "rows",
  "list",
]);

export function FieldRow({ field }: { readonly field: Field }) {
  const form = useForm();
  const who = form.readOnly ? undefined : form.typist(`${form.root}${field.pointer}`);
  if (who === undefined) return <Row field={field} />;
  return (
    <FormProvider value={{ ...form, readOnly: true }}>
      <Row field={field} who={who} />
    </FormProvider>
  );
}

function Row({ field, who }: { readonly field: Field; readonly who?: string }) {
  const form = useForm();
  const id = useId();
  const value = at(form.config, field.pointer);
  const faults = form.issues.filter(
    (issue) =>
      issue.field !== undefined &&
      belongs(issue.field, `${form.root}${field.pointer}`, field.widget),
  );
  const help = faults.length > 0 ? `${id}-err` : `${id}-help`;
  const change = (next: unknown) =>
    form.set(field.pointer, next === "" && !field.required ? undefined : next);
  // While somebody writes an expression, its field stays, whatever is in it.
  const [writing, setWriting] = useState(false);
  const expression = writing || isExpression(value, field);
  const props: ControlProps = {
    field,
    value,
    id,
    change,
    describedBy: faults.length > 0 || field.schema.description ? help : undefined,
    invalid: faults.some((f) => f.severity === "error"),
  };
  const group = groups.has(field.widget) && !expression;
  const body = expression ? (
    <ExpressionControl {...props} writing={setWriting} />
  ) : (
    <Control {...props} />
  );
  const legend = <LegendText field={field} />;
  if (field.widget === "section" && !expression) return <Section field={field} value={value} />;
  return (
    <div
      class={`ed-field w-${field.widget}`}
      data-field={`${form.root}${field.pointer}`}
      role={group ? "group" : undefined}
      aria-labelledby={group ? `${id}-label` : undefined}
    >
      <div class="lab">
        {group ||
        expression ||
        field.widget === "expr" ||
        field.widget === "json" ||
        field.widget === "code" ? (
          <span id={`${id}-label`}>{legend}</span>
        ) : (
          <label id={`${id}-label`} for={id}>
            {legend}
          </label>
        )}
        <FlipButton field={field} value={value} expression={expression} />
      </div>
      {body}
      {who === undefined ? null : <Typist who={who} />}
      <Below id={id} field={field} faults={faults} />
    </div>
  );
}

/** Says whose field it is for the moment. */
export function Typist({ who }: { readonly who: string }) {
  return (
    <p class="hint ed-typist" role="status">
      <Icon name="pencil" />
      {t("editor.shared.types", { who })}
    </p>
  );
}

function LegendText({ field }: { readonly field: Field }) {
  return (
    <>
      {field.title}
      {field.required ? (
        <span class="ed-req" title={t("editor.form.required")}>
          {" *"}
          <span class="sr">{t("editor.form.required")}</span>
        </span>
      ) : null}
    </>
  );
}

function FlipButton({
  field,
  value,
  expression,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly expression: boolean;
}) {
  const form = useForm();
  if (field.mode !== "value" || !flips.has(field.widget) || form.readOnly) return null;
  const flip = () => form.set(field.pointer, expression ? undefined : flipped(value));
  return (
    <button
      type="button"
      class="ed-fx"
      aria-pressed={expression}
      aria-label={`fx: ${t(expression ? "editor.form.toValue" : "editor.form.toExpression", { field: field.title })}`}
      title={t(expression ? "editor.form.toValue" : "editor.form.toExpression", {
        field: field.title,
      })}
      onClick={flip}
    >
      fx
    </button>
  );
}

function Below({
  id,
  field,
  faults,
}: {
  readonly id: string;
  readonly field: Field;
  readonly faults: readonly Issue[];
}) {
  if (faults.length > 0) {
    return (
      <div id={`${id}-err`}>
        {faults.map((fault) => (
          <p class={`err ${fault.severity}`} key={fault.message}>
            <Icon name={fault.severity === "error" ? "circle-alert" : "triangle-alert"} />
            <span>{fault.message}</span>
          </p>
        ))}
      </div>
    );
  }
  if (!field.schema.description) return null;
  return (
    <p class="hint" id={`${id}-help`}>
      {field.schema.description}
    </p>
  );
}

function ExpressionControl({
  field,
  value,
  id,
  change,
  invalid,
  describedBy,
  writing,
}: ControlProps & { writing(now: boolean): void }) {
  return (
    <ExprField
      source={typeof value === "string" ? value : ""}
      mode="value"
      labelledBy={`${id}-label`}
      describedBy={describedBy}
      invalid={invalid}
      placeholder={field.schema["x-placeholder"]}
      pointer={field.pointer}
      change={change}
      writing={writing}
    />
  );
}

function Control(props: ControlProps): ComponentChildren {
  switch (props.field.widget) {
    case "text":
    case "area":
    case "port":
      return <TextControl {...props} />;
    case "number":
      return <NumberControl {...props} />;
    case "duration":
      return <DurationControl {...props} />;
    case "choice":
      return <ChoiceControl {...props} />;
    case "select":
      return <SelectControl {...props} />;
    case "switch":
      return <SwitchControl {...props} />;
    case "pairs":
      return <PairsControl {...props} />;
    case "rules":
      return <RulesControl {...props} />;
    case "rows":
      return <RowsControl {...props} />;
    case "list":
      return <ListControl {...props} />;
    case "expr":
      return <BareExpression {...props} />;
    case "json":
      return <JSONControl {...props} />;
    case "schema":
      return <SchemaControl {...props} />;
    case "code":
      return <CodeControl {...props} />;
    case "credential":
      return <CredentialControl {...props} />;
    case "section":
      return null;
  }
}

function BareExpression({ field, value, id, change, invalid, describedBy }: ControlProps) {
  const source = typeof value === "string" ? value : "";
  return (
    <>
      <ExprField
        source={source}
        mode="expr"
        labelledBy={`${id}-label`}
        describedBy={describedBy}
        invalid={invalid}
        placeholder={field.schema["x-placeholder"]}
        pointer={field.pointer}
        change={change}
      />
      {isCondition(field.name) ? (
        <ConditionRows source={source} label={field.title} change={change} />
      ) : null}
    </>
  );
}

function isExpression(value: unknown, field: Field): boolean {
  if (field.mode !== "value" || typeof value !== "string") return false;
  const form = formOf(value);
  if (form === "expression") return true;
  return form === "template" && (field.widget === "text" || field.widget === "area");
}

/** An expression that gives what the field holds now. */
function flipped(value: unknown): string {
  if (value === undefined || value === "") return "=";
  return `=${JSON.stringify(value)}`;
}

/** Issues point into the node; a field shows those of everything inside it. */
function belongs(pointer: string, own: string, widget: Field["widget"]): boolean {
  return pointer === own || (inside.has(widget) && pointer.startsWith(`${own}/`));
}

/** Rules show what is wrong beside each row; these show it below all. */
const inside: ReadonlySet<string> = new Set(["pairs", "list", "json", "schema"]);
