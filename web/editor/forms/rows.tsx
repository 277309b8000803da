// Lists: of plain values, and of objects with fields of their own.

import type { ComponentChildren } from "preact";
import type { Schema } from "../../core/form-schema.ts";
import { fieldsOf } from "../../core/form-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { ValueCell } from "./cell.tsx";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";

/** The list with the item moved to another place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

type RowToolsProps = {
  readonly index: number;
  readonly count: number;
  readonly name: string;
  move(to: number): void;
  remove(): void;
};

export function RowTools({ index, count, name, move, remove }: RowToolsProps) {
  const form = useForm();
  return (
    <span class="ed-rowtools">
      <button
        type="button"
        class="btn ghost sm sq"
        disabled={form.readOnly || index === 0}
        aria-label={t("editor.form.moveUp", { name })}
        onClick={() => move(index - 1)}
      >
        <Icon name="arrow-up" />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        disabled={form.readOnly || index === count - 1}
        aria-label={t("editor.form.moveDown", { name })}
        onClick={() => move(index + 1)}
      >
        <Icon name="arrow-down" />
      </button>
      <button
        type="button"
        class="btn ghost sm sq"
        disabled={form.readOnly}
        aria-label={t("editor.form.removeRow", { name })}
        onClick={remove}
      >
        <Icon name="x" />
      </button>
    </span>
  );
}

/** Adds a row above itself, and goes on in it. */
export function AddRow({
  disabled,
  add,
  children,
}: {
  readonly disabled: boolean;
  readonly children: ComponentChildren;
  add(): void;
}) {
  return (
    <button
      type="button"
      class="ed-addrow"
      disabled={disabled}
      onClick={({ currentTarget }) => {
        add();
        requestAnimationFrame(() => {
          const row = currentTarget.previousElementSibling;
          row?.querySelector<HTMLElement>('input, select, textarea, [role="textbox"]')?.focus();
        });
      }}
    >
      <Icon name="plus" />
      {children}
    </button>
  );
}

export function ListControl({ field, value, change }: ControlProps) {
  const form = useForm();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const update = (next: readonly unknown[]) => change(next.length === 0 ? undefined : next);
  const item = field.schema.items ?? {};
  const full = field.schema.maxItems !== undefined && items.length >= field.schema.maxItems;
  if (item.enum)
    return <EnumList schema={item} items={items} update={update} readOnly={form.readOnly} />;
  return (
    <div class="ed-rows">
      {items.map((entry, i) => (
        <div class="ed-item" key={i}>
          <ValueCell
            pointer={`${field.pointer}/${i}`}
            value={entry}
            label={`${field.title} ${i + 1}`}
            mode={field.mode}
            placeholder={item["x-placeholder"]}
            change={(text) => update(items.map((v, at) => (at === i ? text : v)))}
          />
          <RowTools
            index={i}
            count={items.length}
            name={String(i + 1)}
            move={(to) => update(moved(items, i, to))}
            remove={() => update(items.filter((_, at) => at !== i))}
          />
        </div>
      ))}
      <AddRow disabled={form.readOnly || full} add={() => update([...items, ""])}>
        {t("editor.form.addRow")}
      </AddRow>
    </div>
  );
}

function EnumList({
  schema,
  items,
  update,
  readOnly,
}: {
  readonly schema: Schema;
  readonly items: readonly unknown[];
  readonly readOnly: boolean;
  update(next: readonly unknown[]): void;
}) {
  return (
    <div class="ed-checks">
      {(schema.enum ?? []).map((name, i) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={items.includes(name)}
            disabled={readOnly}
            onChange={(event) =>
              update(
                event.currentTarget.checked ? [...items, name] : items.filter((v) => v !== name),
              )
            }
          />
          {schema["x-enum-titles"]?.[i] ?? name}
        </label>
      ))}
    </div>
  );
}

export function RowsControl({ field, value, change }: ControlProps) {
  const form = useForm();
  const { Row } = form;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const schema = field.schema.items ?? {};
  const update = (next: readonly unknown[]) => change(next.length === 0 ? undefined : next);
  return (
    <div class="ed-rows">
      {items.map((entry, i) => (
        <fieldset class="ed-card" key={i}>
          <legend class="ed-cardhead">
            <span>{`${field.schema.items?.title ?? field.title} ${i + 1}`}</span>
          </legend>
          <RowTools
            index={i}
            count={items.length}
            name={String(i + 1)}
            move={(to) => update(moved(items, i, to))}
            remove={() => update(items.filter((_, at) => at !== i))}
          />
          {fieldsOf(schema, entry, `${field.pointer}/${i}`).map((inner) => (
            <Row key={inner.pointer} field={inner} />
          ))}
        </fieldset>
      ))}
      <AddRow disabled={form.readOnly} add={() => update([...items, emptyItem(schema)])}>
        {schema.title ? t("editor.form.addItem", { item: schema.title }) : t("editor.form.addRow")}
      </AddRow>
    </div>
  );
}

function emptyItem(schema: Schema): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined) item[name] = child.default;
    else if (schema.required?.includes(name))
      item[name] =
        child.enum?.[0] ?? (child.type === "string" || child.type === undefined ? "" : undefined);
  }
  return item;
}
