// Choosing between fixed values.

import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";

function words(field: ControlProps["field"]): readonly (readonly [string, string])[] {
  const titles = field.schema["x-enum-titles"] ?? [];
  return (field.schema.enum ?? []).map((value, i) => [value, titles[i] ?? value] as const);
}

export function ChoiceControl({ field, value, id, change, describedBy }: ControlProps) {
  const form = useForm();
  const chosen = value ?? field.schema.default;
  return (
    <div class="seg wide" aria-describedby={describedBy}>
      {words(field).map(([name, title]) => (
        <label key={name}>
          <input
            type="radio"
            name={id}
            value={name}
            checked={chosen === name}
            disabled={form.readOnly}
            onChange={() => change(name)}
          />
          {title}
        </label>
      ))}
    </div>
  );
}

export function SelectControl({ field, value, id, change, describedBy, invalid }: ControlProps) {
  const form = useForm();
  const chosen = value ?? field.schema.default ?? "";
  const known = words(field);
  const strange =
    typeof chosen === "string" && chosen !== "" && !known.some(([name]) => name === chosen);
  return (
    <select
      id={id}
      class="sel"
      value={String(chosen)}
      disabled={form.readOnly}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {chosen === "" ? <option value="" /> : null}
      {strange ? <option value={String(chosen)}>{String(chosen)}</option> : null}
      {known.map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}

export function SwitchControl({ field, value, id, change, describedBy }: ControlProps) {
  const form = useForm();
  const on = typeof value === "boolean" ? value : field.schema.default === true;
  return (
    <input
      id={id}
      class="switch"
      type="checkbox"
      role="switch"
      checked={on}
      disabled={form.readOnly}
      aria-describedby={describedBy}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}
