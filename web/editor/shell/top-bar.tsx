// The bar above: where I am, whether it is saved, and what to do with it.

import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { lazy } from "../lazy.tsx";
import { t } from "../strings.ts";
import { keyWords } from "./keys.ts";
import { openPublish, sameAs } from "./publish.ts";

const Rename = lazy(async () => (await import("../later.ts")).later.Rename);
const Others = lazy(async () => (await import("../talk/index.ts")).talking.Others);

export function TopBar() {
  const editor = useEditor();
  const { session } = editor;
  const id = encodeURIComponent(editor.props.workflow.id);
  const ready = session.loading.value === "ready" && !session.readOnly.value;
  const same = sameAs(session);
  return (
    <header class="top ed-top">
      <div>
        <a class="mark" href="/" aria-label={t("editor.home")}>
          <Mark />
        </a>
        <nav class="crumb" aria-label={t("editor.crumb")}>
          <a class="ed-upper" href="/">
            {t("editor.workflows")}
          </a>
          <Icon name="chevron-right" />
          <WorkflowName />
        </nav>
        <DraftChip />
        <SaveMark />
      </div>
      <nav class="seg" aria-label={t("editor.views")}>
        <a href={`/w/${id}`} aria-current="page">
          <Icon name="workflow" />
          <span class="word">{t("editor.design")}</span>
        </a>
        <a href={`/w/${id}/runs`}>
          <Icon name="activity" />
          <span class="word">{t("editor.runs")}</span>
        </a>
        <a href={`/w/${id}/versions`}>
          <Icon name="git-compare" />
          <span class="word">{t("editor.versions")}</span>
        </a>
      </nav>
      <div>
        <Others />
        <button
          type="button"
          class="btn ghost ed-share"
          disabled={!ready}
          onClick={() => (session.dialog.value = "share")}
        >
          <Icon name="share-2" />
          <span class="word">{t("editor.share")}</span>
        </button>
        <button
          type="button"
          class="btn ed-test"
          disabled={!ready && !(session.small.value && session.loading.value === "ready")}
          onClick={() => (session.dialog.value = "run")}
        >
          <Icon name="play" />
          <span class="word">{t("editor.testRun")}</span>
          <kbd>{keyWords("mod+enter")}</kbd>
        </button>
        <button
          type="button"
          class="btn pri ed-publish"
          disabled={!ready}
          aria-disabled={same !== undefined}
          title={same}
          onClick={() => openPublish(editor)}
        >
          {t("editor.publish", { n: session.workflow.value.active_version + 1 })}
        </button>
      </div>
    </header>
  );
}

/** A track that parts, with one lit lamp. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-tile" width="32" height="32" rx="8" />
      <path class="mark-track mark-rest" d="M16.4 22.5H26.5" />
      <path class="mark-track" d="M5.5 22.5h4.6c6.6 0 4.9-12.3 11.3-12.3" />
      <circle class="mark-lamp" cx="24.4" cy="10.2" r="3.7" />
    </svg>
  );
}

function WorkflowName() {
  const editor = useEditor();
  const { session } = editor;
  void session.revision.value;
  const name = editor.drawing.name || session.workflow.value.name || t("editor.untitled");
  if (session.renaming.value) return <Rename />;
  const rename = () => {
    if (!session.readOnly.value) session.renaming.value = true;
  };
  return (
    <h1>
      <button
        type="button"
        class="ed-name"
        title={t("editor.renameHint")}
        onDblClick={rename}
        onKeyDown={(e) => (e.key === "F2" || e.key === "Enter") && rename()}
      >
        {name}
      </button>
    </h1>
  );
}

function DraftChip() {
  const { session } = useEditor();
  const shown = session.versionShown.value;
  const compared = session.comparison.value;
  if (compared !== undefined)
    return (
      <span class="chip ed-draft">{`${compared.before.title} → ${compared.after.title}`}</span>
    );
  if (shown !== undefined)
    return <span class="chip ed-draft">{t("editor.draft.version", { n: shown })}</span>;
  const n = session.dirty.value;
  const version = session.workflow.value.active_version;
  if (version === 0) return <span class="chip ed-draft">{t("editor.draft.never")}</span>;
  return (
    <span class="chip ed-draft">
      {n === 0
        ? t("editor.draft.same", { version: String(version) })
        : t("editor.draft.edits", { n, version: String(version) })}
    </span>
  );
}

function SaveMark() {
  const { session } = useEditor();
  const save = session.save.value;
  if (session.versionShown.value !== undefined || session.readOnly.value) return null;
  if (save.is === "saved") {
    return (
      <span class="meta ed-save" data-state="saved">
        <Icon name="check" />
        {t("editor.save.saved")}
      </span>
    );
  }
  if (save.is === "saving") {
    return (
      <span class="meta ed-save" data-state="saving">
        <span class="spin" aria-hidden="true" />
        {t("editor.save.saving")}
      </span>
    );
  }
  return (
    <span class="meta ed-save off" data-state="offline">
      <Icon name="wifi-off" />
      {t("editor.save.offline", { n: save.edits })}
    </span>
  );
}
