// The rules of a router: condition → port, top to bottom, and the row
// "otherwise" that catches the rest.

import { useState } from "preact/hooks";
import { member } from "../../core/form-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { ValueCell } from "./cell.tsx";
import { ConditionRows } from "./condition.tsx";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";
import { moved } from "./rows.tsx";

type Rule = { readonly port: string; readonly when: string };

const portRule = /^[a-z][a-z0-9_]{0,39}$/;

export function RulesControl({ field, value }: ControlProps) {
  const form = useForm();
  const rules = rulesOf(value);
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  const setAll = (
    next: readonly Rule[],
    renamed: ReadonlyMap<string, string | undefined> = new Map(),
  ) => form.setPorts(field.pointer, next, renamed);
  const add = () => {
    form.focusNext.current = { pointer: `${field.pointer}/${rules.length}/when`, caret: 0 };
    setAll([...rules, { port: freePort(rules), when: "" }]);
  };
  const move = (from: number, to: number) => {
    if (from !== to) setAll(moved(rules, from, to));
  };
  return (
    <div class="ed-rules">
      <p class="ed-rulehint">{t("editor.form.topToBottom")}</p>
      <ol>
        {rules.map((rule, i) => (
          <li
            key={i}
            class={dragged === i ? "ed-rule drag" : "ed-rule"}
            onDragOver={(event) => {
              if (dragged !== undefined) event.preventDefault();
            }}
            onDrop={() => {
              if (dragged !== undefined) move(dragged, i);
              setDragged(undefined);
            }}
          >
            <button
              type="button"
              class="ed-grip"
              draggable={!form.readOnly}
              disabled={form.readOnly}
              aria-label={t("editor.form.reorder", { name: rule.port })}
              title={t("editor.form.reorderHint")}
              onDragStart={(event) => {
                event.dataTransfer?.setData("text/plain", rule.port);
                setDragged(i);
              }}
              onDragEnd={() => setDragged(undefined)}
              onKeyDown={(event) => {
                if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
                event.preventDefault();
                move(i, i + (event.key === "ArrowUp" ? -1 : 1));
              }}
            >
              <Icon name="grip-vertical" />
            </button>
            <RuleCondition index={i} rule={rule} pointer={field.pointer} />
            <span class="ed-arrow">
              <Icon name="arrow-right" />
            </span>
            <PortName
              name={rule.port}
              taken={(name) =>
                name === "default" || rules.some((r, at) => at !== i && r.port === name)
              }
              rename={(name) =>
                setAll(
                  rules.map((r, at) => (at === i ? { ...r, port: name } : r)),
                  new Map([[rule.port, name]]),
                )
              }
            />
            <button
              type="button"
              class="btn ghost sm sq"
              disabled={form.readOnly}
              aria-label={t("editor.form.removeRow", { name: rule.port })}
              onClick={() =>
                setAll(
                  rules.filter((_, at) => at !== i),
                  new Map([[rule.port, undefined]]),
                )
              }
            >
              <Icon name="x" />
            </button>
            <ConditionRows
              source={rule.when}
              label={t("editor.form.conditionFor", { port: rule.port })}
              change={(text) => form.set(`${field.pointer}/${i}/when`, text)}
            />
          </li>
        ))}
        <li class="ed-rule otherwise">
          <span />
          <span class="ed-other">{t("editor.form.otherwise")}</span>
          <span class="ed-arrow">
            <Icon name="arrow-right" />
          </span>
          <span class="ed-portname">default</span>
          <span />
        </li>
      </ol>
      <button type="button" class="ed-addrow" disabled={form.readOnly} onClick={add}>
        <Icon name="plus" />
        {t("editor.form.addRoute")}
      </button>
    </div>
  );
}

function RuleCondition({
  index,
  rule,
  pointer,
}: {
  readonly index: number;
  readonly rule: Rule;
  readonly pointer: string;
}) {
  const form = useForm();
  const own = `${pointer}/${index}`;
  const faults = form.issues.filter(
    (issue) =>
      issue.field === `${form.root}${own}` || issue.field?.startsWith(`${form.root}${own}/`),
  );
  return (
    <div class="ed-when" data-field={`${form.root}${own}/when`}>
      <ValueCell
        pointer={`${own}/when`}
        value={rule.when}
        label={t("editor.form.conditionFor", { port: rule.port })}
        mode="expr"
        placeholder="input.priority >= 8"
        invalid={faults.length > 0}
        change={(text) => form.set(`${own}/when`, text)}
      />
      {faults.map((fault) => (
        <p class="err" key={fault.message}>
          <Icon name="circle-alert" />
          <span>{fault.message}</span>
        </p>
      ))}
    </div>
  );
}

/** A port's name: it takes effect on leaving the field, with its edges. */
function PortName({
  name,
  taken,
  rename,
}: {
  readonly name: string;
  taken(name: string): boolean;
  rename(name: string): void;
}) {
  const form = useForm();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const text = typed ?? name;
  const good = portRule.test(text) && !taken(text);
  const commit = () => {
    if (typed !== undefined && good && typed !== name) rename(typed);
    setTyped(undefined);
  };
  return (
    <input
      class="inp ed-portname"
      type="text"
      autocomplete="off"
      spellcheck={false}
      aria-label={t("editor.form.portOf", { port: name })}
      aria-invalid={!good || undefined}
      title={good ? undefined : t("editor.form.badPort")}
      value={text}
      readOnly={form.readOnly}
      onInput={(event) =>
        setTyped(event.currentTarget.value.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_"))
      }
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setTyped(undefined);
      }}
    />
  );
}

function rulesOf(value: unknown): readonly Rule[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    const [port, when] = [member(item, "port"), member(item, "when")];
    return {
      ...(typeof item === "object" ? item : {}),
      port: typeof port === "string" ? port : "",
      when: typeof when === "string" ? when : "",
    };
  });
}

function freePort(rules: readonly Rule[]): string {
  for (let n = rules.length + 1; ; n += 1) {
    const name = `route_${n}`;
    if (!rules.some((r) => r.port === name)) return name;
  }
}
