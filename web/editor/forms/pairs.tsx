// Names and values, one pair a row.

import { useLayoutEffect, useState } from "preact/hooks";
import { escapePointer } from "../../core/form-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { cellText, ValueCell } from "./cell.tsx";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";
import { AddRow } from "./rows.tsx";

type Row = { readonly id: number; readonly name: string; readonly value: unknown };

export function PairsControl({ field, value, change }: ControlProps) {
  const form = useForm();
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(value, 0));
  const given = JSON.stringify(value ?? {});
  // Not after the paint: by then somebody may have typed on.
  useLayoutEffect(() => {
    setRows((current) => (sameContent(current, value) ? current : rowsOf(value, nextID(current))));
  }, [given]);
  const update = (next: readonly Row[]) => {
    setRows(next);
    const object = objectOf(next);
    change(Object.keys(object).length === 0 ? undefined : object);
  };
  const patch = (id: number, part: Partial<Row>) =>
    update(rows.map((r) => (r.id === id ? { ...r, ...part } : r)));
  return (
    <div class="ed-rows">
      {rows.map((row) => (
        <div class="ed-pair" key={row.id}>
          <input
            class="inp mono"
            type="text"
            autocomplete="off"
            spellcheck={false}
            aria-label={t("editor.form.pairName", { field: field.title })}
            placeholder={t("editor.form.name")}
            value={row.name}
            readOnly={form.readOnly}
            aria-invalid={duplicate(rows, row) || undefined}
            onInput={(event) => patch(row.id, { name: event.currentTarget.value })}
          />
          <ValueCell
            pointer={`${field.pointer}/${escapePointer(row.name)}`}
            value={row.value}
            label={t("editor.form.pairValue", { name: row.name === "" ? field.title : row.name })}
            mode={field.mode}
            placeholder={t("editor.form.value")}
            change={(text) => patch(row.id, { value: text })}
          />
          <button
            type="button"
            class="btn ghost sm sq"
            aria-label={t("editor.form.removeRow", { name: row.name })}
            disabled={form.readOnly}
            onClick={() => update(rows.filter((r) => r.id !== row.id))}
          >
            <Icon name="x" />
          </button>
        </div>
      ))}
      <AddRow
        disabled={form.readOnly}
        add={() => setRows([...rows, { id: nextID(rows), name: "", value: "" }])}
      >
        {t("editor.form.addRow")}
      </AddRow>
    </div>
  );
}

function nextID(rows: readonly Row[]): number {
  return rows.reduce((most, r) => Math.max(most, r.id + 1), 0);
}

function rowsOf(value: unknown, from: number): readonly Row[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, v], i) => ({ id: from + i, name, value: v as unknown }));
}

function objectOf(rows: readonly Row[]): Record<string, unknown> {
  // An own property even for a name like __proto__.
  return Object.fromEntries(rows.filter((r) => r.name !== "").map((r) => [r.name, r.value]));
}

function sameContent(rows: readonly Row[], value: unknown): boolean {
  const object = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const mine = new Map(rows.filter((r) => r.name !== "").map((r) => [r.name, cellText(r.value)]));
  return mine.size === object.length && object.every(([name, v]) => mine.get(name) === cellText(v));
}

function duplicate(rows: readonly Row[], row: Row): boolean {
  return row.name !== "" && rows.some((r) => r.id !== row.id && r.name === row.name);
}
