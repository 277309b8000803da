// The canvas before its drawing is here.

import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";

export function Loading({ failed }: { readonly failed: boolean }) {
  if (failed) {
    return (
      <section class="ed-empty pop" role="alert">
        <h2>{t("editor.load.failed")}</h2>
        <p>{t("editor.load.failedText")}</p>
        <button type="button" class="btn pri" onClick={() => location.reload()}>
          <Icon name="rotate-ccw" />
          {t("editor.load.again")}
        </button>
      </section>
    );
  }
  return (
    <div class="ed-skeleton" aria-busy="true">
      <span class="sr">{t("editor.load.loading")}</span>
      <span class="skel a" />
      <span class="skel b" />
      <span class="skel c" />
      <span class="skel d" />
    </div>
  );
}
