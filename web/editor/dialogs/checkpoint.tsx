// Keeps the drawing as it is under a name, and shows those that are kept.

import { useEffect, useId, useState } from "preact/hooks";
import { language } from "../../core/strings.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Checkpoint } from "../net/api.ts";
import { ApiError, reasonOf } from "../net/api.ts";
import { addressOf, CHECKPOINT, DRAFT, restoreVersion } from "../state/compare.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

const nameMost = 80;

function inWordsOf(error: unknown): string {
  if (error instanceof ApiError) return reasonOf(error);
  return error instanceof Error ? error.message : String(error);
}

export function CheckpointDialog() {
  const editor = useEditor();
  const { session, api } = editor;
  const field = useId();
  const [name, setName] = useState("");
  const [list, setList] = useState<readonly Checkpoint[] | undefined>(undefined);
  const [why, setWhy] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    api.checkpoints().then(
      (answer) => setList(answer.checkpoints),
      (error: unknown) => setWhy(inWordsOf(error)),
    );
  }, []);
  const keep = async () => {
    const text = name.trim();
    if (text === "" || busy) return;
    setBusy(true);
    try {
      // What stands on the screen is what is kept, not what was saved a moment ago.
      if (!(await editor.settled())) throw new Error(t("editor.checkpoint.unsaved"));
      await api.keepCheckpoint(text);
      session.dialog.value = undefined;
      editor.toast(t("editor.checkpoint.kept", { name: text }), {
        href: {
          title: t("editor.checkpoint.all"),
          url: `/w/${encodeURIComponent(api.workflow)}/versions`,
        },
      });
    } catch (error) {
      setWhy(inWordsOf(error));
      setBusy(false);
    }
  };
  const drop = async (one: Checkpoint) => {
    try {
      await api.dropCheckpoint(one.id);
      setList(list?.filter((other) => other !== one));
    } catch (error) {
      setWhy(inWordsOf(error));
    }
  };
  return (
    <Modal title={t("editor.checkpoint")}>
      <form
        class="body ed-keep"
        onSubmit={(e) => {
          e.preventDefault();
          void keep();
        }}
      >
        <p class="hint">{t("editor.checkpoint.lead")}</p>
        <label class="lab" for={field}>
          {t("editor.checkpoint.name")}
        </label>
        <div class="row">
          <input
            id={field}
            class="inp"
            autofocus
            maxLength={nameMost}
            placeholder={t("editor.checkpoint.placeholder")}
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
          <button type="submit" class="btn pri" disabled={busy || name.trim() === ""}>
            {t("editor.checkpoint.keep")}
          </button>
        </div>
        {why === "" ? null : (
          <p class="note fail" role="alert">
            {why}
          </p>
        )}
        <h3>{t("editor.checkpoint.kept.title")}</h3>
        {list?.length === 0 ? <p class="hint">{t("editor.checkpoint.none")}</p> : null}
        <ul class="ed-kept">
          {(list ?? []).map((one) => (
            <li key={one.id}>
              <Icon name="bookmark" />
              <div>
                <b class="clip">{one.name}</b>
                <small>
                  {[
                    one.by,
                    new Date(one.created_at).toLocaleString(language(), {
                      dateStyle: "medium",
                      timeStyle: "short",
                    }),
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </small>
              </div>
              <a class="btn sm" href={addressOf(editor, CHECKPOINT + one.id, DRAFT)}>
                {t("editor.checkpoint.compare")}
                <span class="sr">{one.name}</span>
              </a>
              <button
                type="button"
                class="btn sm"
                onClick={() => {
                  session.dialog.value = undefined;
                  void restoreVersion(editor, CHECKPOINT + one.id);
                }}
              >
                {t("editor.checkpoint.restore")}
                <span class="sr">{one.name}</span>
              </button>
              <button
                type="button"
                class="btn ghost sm sq"
                aria-label={t("editor.checkpoint.delete", { name: one.name })}
                title={t("editor.checkpoint.delete", { name: one.name })}
                onClick={() => void drop(one)}
              >
                <Icon name="trash-2" />
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Modal>
  );
}
