// The address of a link that was just made, and the texts to paste elsewhere.

import { t } from "../core/strings.ts";
import { Icon } from "../run/icon.tsx";
import { toast } from "../run/toast.ts";
import type { Choice } from "./model.ts";
import { frame, markdown } from "./paste.ts";

type Props = { readonly url: string; readonly choice: Choice; readonly name: string };

export function Made({ url, choice, name }: Props) {
  return (
    <div class="sharing-made">
      <Line id="sharing-url" label={t("sharing.link")} value={url} />
      <p class="hint">{choice.listed ? t("sharing.stays") : t("sharing.once")}</p>
      <Line
        id="sharing-badge"
        label={t("sharing.badge")}
        value={markdown(name, url, "/badge.svg")}
      />
      <Line id="sharing-drawing" label={t("sharing.drawing")} value={markdown(name, url, ".svg")} />
      {choice.origins.trim() === "" ? undefined : (
        <Line id="sharing-embed" label={t("sharing.embed")} value={frame(name, url)} />
      )}
      <p class="sharing-look">
        <img src={`${url}/badge.svg`} alt={t("sharing.badge")} />
        <a class="lnk" href={url} target="_blank" rel="noopener">
          {t("sharing.open")}
        </a>
      </p>
    </div>
  );
}

type LineProps = { readonly id: string; readonly label: string; readonly value: string };

export function Line({ id, label, value }: LineProps) {
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => toast(t("shell.copied")),
      () => toast(t("shell.failed"), "fail"),
    );
  };
  return (
    <div class="fld">
      <label for={id}>{label}</label>
      <div class="sharing-line">
        <input
          id={id}
          class="inp mono"
          readOnly
          value={value}
          onFocus={(e) => e.currentTarget.select()}
        />
        <button
          type="button"
          class="btn"
          onClick={copy}
          aria-label={`${t("sharing.copy")}: ${label}`}
        >
          <Icon name="copy" />
          {t("sharing.copy")}
        </button>
      </div>
    </div>
  );
}
