// Exactly what becomes public, as the server would build it.

import { t } from "../core/strings.ts";
import { Icon } from "../run/icon.tsx";
import { at } from "../run/net.ts";
import type { Choice, Preview, Subject } from "./model.ts";

type Props = {
  readonly subject: Subject;
  readonly choice: Choice;
  readonly preview: Preview | undefined;
};

export function Public({ subject, choice, preview }: Props) {
  const run = subject.target === "run";
  const picture =
    preview === undefined ? undefined : `data:image/svg+xml,${encodeURIComponent(preview.picture)}`;
  const names = fields(preview?.form);
  return (
    <section
      class="sharing-public"
      aria-label={t("sharing.public")}
      aria-busy={preview === undefined}
    >
      <h3>{t("sharing.public")}</h3>
      {picture === undefined ? (
        <div class="skel sharing-picture" role="status" aria-label={t("sharing.loading")} />
      ) : (
        <img
          class="sharing-picture"
          src={picture}
          alt={t("sharing.picture", { name: subject.name })}
        />
      )}
      <ul>
        <Yes text={t("sharing.public.drawing")} />
        {run ? <Yes text={t("sharing.public.events", { n: preview?.events ?? 0 })} /> : undefined}
        {names.length > 0 ? (
          <Yes text={t("sharing.public.form", { names: names.join(", ") })} />
        ) : undefined}
        {choice.scope === "copy" ? <Yes text={t("sharing.public.file")} /> : undefined}
        {choice.data && (run || choice.scope === "run") ? (
          <Yes text={t("sharing.public.data")} />
        ) : undefined}
        {choice.listed ? <Yes text={t("sharing.public.listed")} /> : undefined}
        <No text={t(choice.scope === "copy" ? "sharing.private.file" : "sharing.private")} />
      </ul>
      {preview === undefined ? undefined : (
        <details class="sharing-exact">
          <summary>{t("sharing.exact")}</summary>
          <pre
            class="mono"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable region
            tabIndex={0}
            role="region"
            aria-label={t("sharing.exact")}
          >
            {exact(preview)}
          </pre>
        </details>
      )}
    </section>
  );
}

function Yes({ text }: { readonly text: string }) {
  return (
    <li class="yes">
      <Icon name="eye" />
      <span>{text}</span>
    </li>
  );
}

function No({ text }: { readonly text: string }) {
  return (
    <li class="no">
      <Icon name="lock" />
      <span>{text}</span>
    </li>
  );
}

function fields(form: unknown): readonly string[] {
  const list = at(form, "fields");
  if (!Array.isArray(list)) return [];
  return list.flatMap((f: unknown) => {
    const name = at(f, "name");
    return typeof name === "string" ? [name] : [];
  });
}

/** All of it as data: the drawing, and what goes with it. */
function exact({ graph, form, file, data }: Preview): string {
  return JSON.stringify(
    {
      graph,
      ...(form === undefined ? {} : { form }),
      ...(file === undefined ? {} : { file }),
      ...(data === undefined ? {} : { data }),
    },
    undefined,
    1,
  );
}
