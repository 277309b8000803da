// A link that shows the published version to anybody who has it.

import { useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

export function ShareDialog() {
  const editor = useEditor();
  const [url, setURL] = useState<string | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const published = editor.session.workflow.value.active_version > 0;
  const make = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const { share } = await editor.api.share();
      setURL(share.url === undefined ? undefined : new URL(share.url, location.href).href);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const copy = async () => {
    if (url === undefined) return;
    await navigator.clipboard.writeText(url);
    editor.toast(t("editor.copied"));
  };
  return (
    <Modal title={t("editor.share.title")}>
      <div class="body">
        <p>{t("editor.share.text")}</p>
        <ul class="ed-public">
          <li>
            <Icon name="eye" />
            {t("editor.share.public")}
          </li>
          <li>
            <Icon name="lock" />
            {t("editor.share.private")}
          </li>
        </ul>
        {url === undefined ? (
          <div class="row">
            <button
              type="button"
              class="btn pri"
              disabled={busy || !published}
              onClick={() => void make()}
            >
              <Icon name="link" />
              {t("editor.share.make")}
            </button>
            <a class="lnk" href="/settings#shares">
              {t("editor.share.all")}
            </a>
          </div>
        ) : (
          <div class="fld">
            <label for="ed-share-url">{t("editor.share.link")}</label>
            <div class="ed-copy">
              <input
                id="ed-share-url"
                class="inp mono"
                readOnly
                value={url}
                onFocus={(e) => e.currentTarget.select()}
              />
              <button type="button" class="btn" onClick={() => void copy()}>
                <Icon name="copy" />
                {t("editor.copy")}
              </button>
            </div>
            <p class="hint">{t("editor.share.once")}</p>
          </div>
        )}
        {published ? null : <p class="hint">{t("editor.share.unpublished")}</p>}
        {fault === undefined ? null : (
          <p class="note fail" role="alert">
            <Icon name="circle-alert" />
            <span>{fault}</span>
          </p>
        )}
      </div>
    </Modal>
  );
}
