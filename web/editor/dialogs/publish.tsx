// Publishing: the draft becomes the next version, and the active one.

import { useState } from "preact/hooks";
import { isApproved } from "../../core/review.ts";
import { Rehearsal, useRehearsal } from "../cases/rehearsal.tsx";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { ApiError } from "../net/api.ts";
import { t } from "../strings.ts";
import { AskReview } from "../talk/review.tsx";
import { t as talked } from "../talk/words.ts";
import { Modal } from "./modal.tsx";

export function PublishDialog() {
  const editor = useEditor();
  const { session } = editor;
  const [note, setNote] = useState("");
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const errors = session.issues.value.filter((i) => i.severity === "error");
  const warnings = session.issues.value.length - errors.length;
  const next = session.workflow.value.active_version + 1;
  const away = session.link.value === "down" || session.save.value.is === "offline";
  const rehearsal = useRehearsal(errors.length === 0 && !away);
  const barred = rehearsal.report?.guarded === true && !rehearsal.report.ok;
  const owner = editor.props.user?.role === "owner";
  const talk = session.talk.value;
  const standing = talk?.standing.value;
  const [asking, setAsking] = useState(false);
  const [over, setOver] = useState(false);
  const unapproved = standing?.required === true && !isApproved(standing.review, editor.seq);
  const close = () => (session.dialog.value = undefined);
  const publish = async () => {
    if (away) return;
    setBusy(true);
    setFault(undefined);
    try {
      if (!(await editor.settled())) throw new Error(t("editor.publish.unsaved"));
      const { version } = await editor.api.publish(editor.seq, note.trim(), {
        ...(barred ? { override: reason.trim() } : {}),
        ...(unapproved && over ? { unapproved: true } : {}),
      });
      session.workflow.value = { ...session.workflow.value, active_version: version.number };
      session.dirty.value = 0;
      close();
      editor.toast(t("editor.publish.done", { n: version.number }), {
        href: {
          title: t("editor.publish.look"),
          url: `/w/${encodeURIComponent(editor.props.workflow.id)}/versions`,
        },
      });
      editor.say(t("editor.publish.done", { n: version.number }));
      void editor.refreshHooks();
      void talk?.readStanding();
    } catch (error) {
      if (error instanceof ApiError && error.issues.length > 0) session.issues.value = error.issues;
      setFault(wordsOf(error));
      void talk?.readStanding();
    } finally {
      setBusy(false);
    }
  };
  if (errors.length > 0) {
    return (
      <Modal
        title={t("editor.publish.title", { n: next })}
        footer={
          <>
            <button type="button" class="btn" onClick={close}>
              {t("editor.cancel")}
            </button>
            <button
              type="button"
              class="btn pri"
              onClick={() => {
                close();
                session.panel.value = "problems";
              }}
            >
              {t("editor.publish.toProblems")}
            </button>
          </>
        }
      >
        <div class="body">
          <p class="note fail">
            <Icon name="circle-alert" />
            <span>{t("editor.publish.blocked", { n: errors.length })}</span>
          </p>
          <ul class="ed-blockers">
            {errors.slice(0, 5).map((issue, i) => (
              <li key={i}>{issue.message}</li>
            ))}
          </ul>
        </div>
      </Modal>
    );
  }
  if (talk && (asking || (unapproved && !over)))
    return <AskReview talk={talk} over={() => setOver(true)} />;
  return (
    <Modal
      title={t("editor.publish.title", { n: next })}
      footer={
        <>
          {talk && !standing?.required ? (
            <button type="button" class="btn ghost tk-over" onClick={() => setAsking(true)}>
              {talked("talk.review.first")}
            </button>
          ) : null}
          <button type="button" class="btn" onClick={close}>
            {t("editor.cancel")}
          </button>
          <button
            type="button"
            class={barred ? "btn pri dng" : "btn pri"}
            disabled={
              away || busy || rehearsal.busy || (barred && (!owner || reason.trim() === ""))
            }
            onClick={() => void publish()}
          >
            {busy ? <span class="spin" /> : null}
            {t(barred ? "editor.publish.anyway" : "editor.publish.do", { n: next })}
          </button>
        </>
      }
    >
      <form
        class="body"
        onSubmit={(e) => {
          e.preventDefault();
          void publish();
        }}
      >
        <p>{t("editor.publish.text")}</p>
        {unapproved ? (
          <p class="note warn">
            <Icon name="triangle-alert" />
            <span>{talked("talk.review.over.text")}</span>
          </p>
        ) : null}
        <div class="fld">
          <label for="ed-publish-note">{t("editor.publish.note")}</label>
          <textarea
            id="ed-publish-note"
            class="inp"
            rows={3}
            maxLength={1_000}
            value={note}
            placeholder={t("editor.publish.notePlaceholder")}
            onInput={(e) => setNote(e.currentTarget.value)}
          />
        </div>
        {away ? (
          <p class="note warn" role="status">
            <Icon name="wifi-off" />
            <span>{t("editor.publish.away")}</span>
          </p>
        ) : (
          <Rehearsal of={rehearsal} workflow={editor.props.workflow.id} />
        )}
        {barred && owner ? (
          <div class="fld">
            <label for="ed-publish-reason">{t("editor.cases.reason")}</label>
            <textarea
              id="ed-publish-reason"
              class="inp"
              rows={2}
              maxLength={500}
              value={reason}
              aria-describedby="ed-publish-reason-hint"
              onInput={(e) => setReason(e.currentTarget.value)}
            />
            <p class="hint" id="ed-publish-reason-hint">
              {t("editor.cases.reason.hint")}
            </p>
          </div>
        ) : null}
        {barred && !owner ? (
          <p class="note fail">
            <Icon name="circle-alert" />
            <span>{t("editor.cases.barred")}</span>
          </p>
        ) : null}
        {warnings > 0 ? (
          <p class="note warn">
            <Icon name="triangle-alert" />
            <span>{t("editor.publish.warnings", { n: warnings })}</span>
          </p>
        ) : null}
        {fault === undefined ? null : (
          <p class="note fail" role="alert">
            <Icon name="circle-alert" />
            <span>{fault}</span>
          </p>
        )}
      </form>
    </Modal>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 409 && error.fields.length === 0)
    return t("editor.publish.conflict");
  return error instanceof Error ? error.message : String(error);
}
