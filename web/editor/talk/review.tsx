// Reviews: how the draft stands, a request for one, and the answer of who looks
// at the changes.

import { useEffect, useState } from "preact/hooks";
import { standsAt } from "../../core/review.ts";
import { useEditor } from "../context.ts";
import { Modal } from "../dialogs/modal.tsx";
import { Icon } from "../icon.tsx";
import { DRAFT } from "../state/compare.ts";
import type { Editor } from "../state/editor.ts";
import type { Review, Standing } from "./net.ts";
import { net } from "./net.ts";
import { Ago, Avatar, useTalk } from "./parts.tsx";
import type { Talk } from "./talk.ts";
import { t } from "./words.ts";

const noteMax = 1_000;

/** Where the draft is now, as far as this page knows. */
function seqNow(editor: Editor, standing: Standing): number {
  return editor.session.comparison.value ? standing.seq : Math.max(editor.seq, standing.seq);
}

/** How a review stands, in one sentence. */
function stateOf(review: Review, seq: number): string {
  const name = review.decision?.by.name ?? "";
  const stands = standsAt(review, seq);
  if (stands === "open")
    return t("talk.review.state.open", { names: review.reviewers.map((p) => p.name).join(", ") });
  return t(stands === "stale" ? "talk.review.stale" : `talk.review.state.${stands}`, { name });
}

const tones = { open: "info", changes: "warn", stale: "warn", approved: "ok" } as const;

const toneOf = (review: Review, seq: number): string => tones[standsAt(review, seq)];

/** Over the canvas: what goes on, and the way to the changes. */
export function ReviewNote() {
  const editor = useEditor();
  const talk = useTalk();
  const standing = talk?.standing.value;
  void editor.session.revision.value;
  const review = standing?.review;
  if (!talk || !review) return null;
  const seq = seqNow(editor, standing);
  const asked = review.state === "open" && review.reviewers.some((p) => p.id === talk.me);
  return (
    <p class={`note ${toneOf(review, seq)} ed-banner`} role="status">
      <Icon name="user-check" />
      <span>
        {asked ? t("talk.review.you", { name: review.by.name }) : stateOf(review, seq)}
        {review.state === "changes" && review.decision ? `: ${review.decision.note}` : ""}
      </span>
      <a class="lnk" href={placeOf(editor)}>
        {t("talk.review.look")}
      </a>
    </p>
  );
}

const placeOf = (editor: Editor): string =>
  `/w/${encodeURIComponent(editor.props.workflow.id)}/review`;

/** Above the list of changes: who asks, and the answer. */
export function ReviewBox() {
  const editor = useEditor();
  const talk = useTalk();
  const standing = talk?.standing.value;
  const shown = editor.session.comparison.value;
  const review = standing?.review;
  useEffect(() => {
    if (review) void talk?.readReview(review.id);
  }, [review?.id]);
  if (!talk || !review || shown?.after.id !== DRAFT) return null;
  const looked = shown.after.seq ?? 0;
  const moved = standing.seq > looked;
  const mine = review.by.id === talk.me;
  const asked = !mine && review.reviewers.some((p) => p.id === talk.me);
  return (
    <section class="tk-review" aria-label={t("talk.review")}>
      <div class="tk-by">
        <Avatar name={review.by.name} />
        <b class="clip">{t("talk.review.by", { name: review.by.name })}</b>
        <Ago at={review.at} talk={talk} />
      </div>
      {review.note === "" ? null : (
        <p class="tk-text" dir="auto">
          {review.note}
        </p>
      )}
      <p class={`note ${toneOf(review, standing.seq)}`} role="status">
        <Icon name="user-check" />
        <span>{stateOf(review, standing.seq)}</span>
      </p>
      {review.decision && review.decision.note !== "" ? (
        <p class="tk-text" dir="auto">
          {review.decision.note}
        </p>
      ) : null}
      {moved ? (
        <p class="note warn" role="alert">
          <span>{t("talk.review.moved")}</span>
          <a class="lnk" href={placeOf(editor)}>
            {t("talk.review.reload")}
          </a>
        </p>
      ) : null}
      {asked && talk.draws ? (
        <Answer talk={talk} review={review} seq={looked} moved={moved} />
      ) : null}
      {mine || talk.rules ? <Withdraw talk={talk} review={review} /> : null}
    </section>
  );
}

function Withdraw({ talk, review }: { readonly talk: Talk; readonly review: Review }) {
  const editor = useEditor();
  const withdraw = async () => {
    try {
      await net.withdraw(review.id);
      editor.say(t("talk.review.said.withdrawn"));
    } catch (error) {
      editor.toast(wordsOf(error), { tone: "fail" });
    }
    await talk.readStanding();
  };
  return (
    <button type="button" class="btn sm" onClick={() => void withdraw()}>
      {t("talk.review.withdraw")}
    </button>
  );
}

type AnswerProps = {
  readonly talk: Talk;
  readonly review: Review;
  readonly seq: number;
  readonly moved: boolean;
};

function Answer({ talk, review, seq, moved }: AnswerProps) {
  const editor = useEditor();
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const decide = async (how: "approve" | "changes") => {
    setBusy(true);
    setFault(undefined);
    try {
      await net.decide(review.id, how, seq, note);
      setNote("");
      editor.say(t(how === "approve" ? "talk.review.said.approved" : "talk.review.said.changes"));
    } catch (error) {
      setFault(wordsOf(error));
    }
    setBusy(false);
    await talk.readStanding();
  };
  return (
    <div class="tk-answer">
      <label class="lab" for="tk-answer">
        {t("talk.review.answer")}
      </label>
      <textarea
        id="tk-answer"
        class="inp"
        rows={3}
        maxLength={noteMax}
        placeholder={t("talk.review.answer.hint")}
        value={note}
        onInput={(e) => setNote(e.currentTarget.value)}
      />
      <Fault text={fault} />
      <div class="row">
        <button
          type="button"
          class="btn sm"
          disabled={busy || moved || note.trim() === ""}
          onClick={() => void decide("changes")}
        >
          <Icon name="pencil" />
          {t("talk.review.changes")}
        </button>
        <button
          type="button"
          class="btn sm pri"
          disabled={busy || moved}
          onClick={() => void decide("approve")}
        >
          <Icon name="check" />
          {t("talk.review.approve")}
        </button>
      </div>
    </div>
  );
}

function Fault({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="note fail" role="alert">
      <Icon name="circle-alert" />
      <span>{text}</span>
    </p>
  );
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : t("talk.failed");

type AskProps = { readonly talk: Talk; readonly over: () => void };

/** Instead of the dialog that publishes: what is missing, and how to get it. */
export function AskReview({ talk, over }: AskProps) {
  const editor = useEditor();
  const { standing } = talk;
  const review = standing.value?.review;
  const required = standing.value?.required === true;
  const [note, setNote] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>(
    review?.by.id === talk.me ? (review?.reviewers.map((p) => p.id) ?? []) : [],
  );
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  useEffect(() => void talk.readMembers(), []);
  const people = talk.members.value.filter((m) => m.draws);
  const close = () => (editor.session.dialog.value = undefined);
  const ask = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      if (!(await editor.settled())) throw new Error(t("talk.failed"));
      await net.ask(editor.api.workflow, editor.seq, note, chosen);
      await talk.readStanding();
      editor.toast(t("talk.review.said.asked"));
      close();
    } catch (error) {
      setBusy(false);
      setFault(wordsOf(error));
    }
  };
  const toggle = (id: string, on: boolean) =>
    setChosen(on ? [...chosen, id] : chosen.filter((c) => c !== id));
  return (
    <Modal
      title={t("talk.review.ask")}
      footer={
        <>
          {required && editor.props.user?.role === "owner" ? (
            <button type="button" class="btn ghost tk-over" onClick={over}>
              {t("talk.review.over")}
            </button>
          ) : null}
          <button
            type="button"
            class="btn pri"
            disabled={busy || chosen.length === 0}
            onClick={() => void ask()}
          >
            {busy ? <span class="spin" /> : null}
            {t(review ? "talk.review.again" : "talk.review.send")}
          </button>
        </>
      }
    >
      <div class="body">
        <p>{t(required ? "talk.review.required" : "talk.review.ask.text")}</p>
        {review ? (
          <p class={`note ${toneOf(review, editor.seq)}`}>
            <Icon name="user-check" />
            <span>{stateOf(review, editor.seq)}</span>
            <a class="lnk" href={placeOf(editor)}>
              {t("talk.review.look")}
            </a>
          </p>
        ) : null}
        <fieldset class="tk-who">
          <legend class="lab">{t("talk.review.who")}</legend>
          {people.length === 0 ? <p class="hint">{t("talk.review.nobody")}</p> : null}
          {people.map((m) => (
            <label key={m.id}>
              <input
                type="checkbox"
                checked={chosen.includes(m.id)}
                onChange={(e) => toggle(m.id, e.currentTarget.checked)}
              />
              <Avatar name={m.name} />
              <span class="clip">{m.name}</span>
            </label>
          ))}
        </fieldset>
        <div class="fld">
          <label for="tk-ask-note">{t("talk.review.note")}</label>
          <textarea
            id="tk-ask-note"
            class="inp"
            rows={3}
            maxLength={noteMax}
            placeholder={t("talk.review.note.hint")}
            value={note}
            onInput={(e) => setNote(e.currentTarget.value)}
          />
        </div>
        <Fault text={fault} />
      </div>
    </Modal>
  );
}
