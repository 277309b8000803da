// A whole object of fields: the form of a step, or a part of it.

import type { Field, Schema } from "../../core/form-schema.ts";
import { fieldsOf } from "../../core/form-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { useForm } from "./context.ts";

export function Fields({
  schema,
  value,
  base = "",
}: {
  readonly schema: Schema;
  readonly value: unknown;
  readonly base?: string;
}) {
  const form = useForm();
  const { Row } = form;
  const fields = fieldsOf(schema, value, base);
  const plain = fields.filter((f) => !f.advanced);
  const folded = fields.filter((f) => f.advanced);
  const faulty = folded.some((f) =>
    form.issues.some((i) => i.field?.startsWith(`${form.root}${f.pointer}`)),
  );
  return (
    <>
      {plain.map((field) => (
        <Row key={field.pointer} field={field} />
      ))}
      {folded.length > 0 ? (
        <details class="ed-more" open={faulty}>
          <summary>
            <Icon name="chevron-right" />
            {t("editor.form.more", { n: folded.length })}
          </summary>
          <div class="ed-fields">
            {folded.map((field) => (
              <Row key={field.pointer} field={field} />
            ))}
          </div>
        </details>
      ) : null}
    </>
  );
}

export function Section({ field, value }: { readonly field: Field; readonly value: unknown }) {
  const form = useForm();
  return (
    <fieldset class="ed-section" data-field={`${form.root}${field.pointer}`}>
      <legend class="lab">{field.title}</legend>
      <Fields schema={field.schema} value={value} base={field.pointer} />
    </fieldset>
  );
}
