// Choosing a credential by its name. The values never come to the browser.

import { t } from "../strings.ts";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";

export function CredentialControl({ value, id, change, describedBy, invalid }: ControlProps) {
  const form = useForm();
  const chosen = typeof value === "string" ? value : "";
  const known = form.credentials.some((c) => c.name === chosen);
  return (
    <div class="ed-cred">
      <select
        id={id}
        class="sel"
        value={chosen}
        disabled={form.readOnly}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        onChange={(event) =>
          change(event.currentTarget.value === "" ? undefined : event.currentTarget.value)
        }
      >
        <option value="">{t("editor.form.noCredential")}</option>
        {chosen !== "" && !known ? (
          <option value={chosen}>{t("editor.form.goneCredential", { name: chosen })}</option>
        ) : null}
        {form.credentials.map((c) => (
          <option key={c.id} value={c.name}>
            {c.name}
          </option>
        ))}
      </select>
      <a class="lnk" href="/settings#credentials" target="_blank" rel="noopener">
        {t("editor.form.newCredential")}
      </a>
    </div>
  );
}
