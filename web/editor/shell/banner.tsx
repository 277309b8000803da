// What holds for the whole page: offline, signed out, an old version, a small
// screen.

import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { lazy } from "../lazy.tsx";
import { t } from "../strings.ts";
import { mayDraw } from "./width.ts";

const ReviewNote = lazy(async () => (await import("../talk/index.ts")).talking.ReviewNote);

export function Banner() {
  const editor = useEditor();
  const { session } = editor;
  const id = encodeURIComponent(editor.props.workflow.id);
  if (session.signedOut.value) {
    return (
      <p class="note warn ed-banner" role="alert">
        <Icon name="triangle-alert" />
        <span>{t("editor.banner.signedOut")}</span>
        <a class="lnk" href={`/login?next=${encodeURIComponent(`/w/${editor.props.workflow.id}`)}`}>
          {t("editor.banner.signIn")}
        </a>
      </p>
    );
  }
  if (session.versionShown.value !== undefined) {
    return (
      <p class="note info ed-banner">
        <Icon name="history" />
        <span>{t("editor.banner.version", { n: session.versionShown.value })}</span>
        <a class="lnk" href={`/w/${id}`}>
          {t("editor.banner.backToDraft")}
        </a>
      </p>
    );
  }
  const compared = session.comparison.value;
  if (compared !== undefined) {
    return (
      <p class="note info ed-banner">
        <Icon name="git-compare" />
        <span>
          {t("editor.banner.compare", {
            before: compared.before.title,
            after: compared.after.title,
          })}
        </span>
        <button type="button" class="lnk" onClick={() => (session.panel.value = "changes")}>
          {t("editor.compare")}
        </button>
        <a class="lnk" href={`/w/${id}`}>
          {t("editor.banner.backToDraft")}
        </a>
      </p>
    );
  }
  if (!mayDraw(editor)) {
    return (
      <p class="note info ed-banner">
        <Icon name="eye" />
        <span>{t("editor.banner.role")}</span>
      </p>
    );
  }
  const save = session.save.value;
  if (save.is === "offline" || session.link.value === "down") {
    return (
      <p class="note warn ed-banner" role="status">
        <Icon name="wifi-off" />
        <span>{t("editor.banner.offline")}</span>
      </p>
    );
  }
  return <ReviewNote />;
}
