// One thread: what was said, what can be done about it, and a field to reply.

import { useEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { Composer } from "./composer.tsx";
import type { Comment, Thread } from "./net.ts";
import { Ago, Avatar, Text } from "./parts.tsx";
import type { Talk } from "./talk.ts";
import { t } from "./words.ts";

/** What a thread is about, in words. */
export function placeOf(editor: Editor, thread: Thread): string {
  if (thread.node === "") return t("talk.drawing");
  if (editor.drawing.nodes.has(thread.node)) return nameOf(editor, thread.node);
  return t("talk.deleted", { step: thread.title });
}

export function ThreadView({ talk }: { readonly talk: Talk }) {
  const editor = useEditor();
  void editor.session.revision.value;
  const thread = talk.whole.value;
  const head = useRef<HTMLHeadingElement>(null);
  const id = talk.open.value;
  useEffect(() => head.current?.focus(), [id]);
  return (
    <div class="tk-thread">
      <div class="tk-head">
        <button
          type="button"
          class="btn ghost sm sq"
          aria-label={t("talk.back")}
          title={t("talk.back")}
          onClick={() => talk.list(talk.step.value)}
        >
          <Icon name="arrow-left" />
        </button>
        <h3 ref={head} tabIndex={-1} class="clip">
          {thread ? placeOf(editor, thread) : t(talk.gone.value ? "talk.comments" : "talk.loading")}
        </h3>
        {thread ? <Acts talk={talk} thread={thread} /> : null}
      </div>
      {talk.gone.value ? <p class="hint tk-pad">{t("talk.gone")}</p> : null}
      {thread ? <Said talk={talk} thread={thread} /> : null}
    </div>
  );
}

function Acts({ talk, thread }: { readonly talk: Talk; readonly thread: Thread }) {
  const editor = useEditor();
  return (
    <>
      {editor.drawing.nodes.has(thread.node) ? (
        <button
          type="button"
          class="btn ghost sm sq"
          aria-label={t("talk.jump")}
          title={t("talk.jump")}
          onClick={() => talk.jump(thread.node)}
        >
          <Icon name="locate-fixed" />
        </button>
      ) : null}
      {talk.may ? (
        <button
          type="button"
          class="btn sm"
          onClick={() => void tried(editor, talk.settle(thread))}
        >
          <Icon name={thread.resolved ? "rotate-ccw" : "circle-check"} />
          {t(thread.resolved ? "talk.reopen" : "talk.resolve")}
        </button>
      ) : null}
    </>
  );
}

/** What went wrong is said; nothing is shown that is not so. */
async function tried(editor: Editor, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    editor.toast(error instanceof Error ? error.message : t("talk.failed"), { tone: "fail" });
  }
}

function Said({ talk, thread }: { readonly talk: Talk; readonly thread: Thread }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const el = list.current;
    if (el) el.scrollTop = el.scrollHeight;
  }, [thread.id, thread.last]);
  return (
    <>
      {thread.resolved ? (
        <p class="tk-done">
          <Icon name="circle-check" />
          <span>
            {t("talk.resolvedBy", { name: thread.resolved.by.name })}{" "}
            <Ago at={thread.resolved.at} talk={talk} />
          </span>
        </p>
      ) : null}
      <ol
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable region
        tabIndex={0}
        aria-label={t("talk.comments")}
      >
        {thread.comments.map((c) => (
          <One key={c.id} talk={talk} thread={thread} comment={c} />
        ))}
      </ol>
      {talk.may ? (
        <Composer
          key={thread.id}
          talk={talk}
          place={`reply:${thread.id}`}
          label={t("talk.reply")}
          hint={t("talk.reply.hint")}
          button={t("talk.reply")}
          send={(said) => talk.reply(thread.id, said)}
        />
      ) : null}
    </>
  );
}

type OneProps = { readonly talk: Talk; readonly thread: Thread; readonly comment: Comment };

function One({ talk, thread, comment }: OneProps) {
  const [doing, setDoing] = useState<"edit" | "delete" | undefined>(undefined);
  const editor = useEditor();
  const mine = comment.by.id === talk.me;
  if (comment.deleted) return <li class="tk-back">{t("talk.takenBack")}</li>;
  return (
    <li>
      <Avatar name={comment.by.name} />
      <div class="tk-by">
        <b class="clip">{comment.by.name}</b>
        <Ago at={comment.created_at} talk={talk} />
        {comment.edited_at ? <span>{t("talk.edited")}</span> : null}
        <span class="tk-acts">
          {mine && talk.may ? (
            <button
              type="button"
              class="btn ghost sm sq"
              aria-label={t("talk.edit")}
              title={t("talk.edit")}
              onClick={() => setDoing("edit")}
            >
              <Icon name="pencil" />
            </button>
          ) : null}
          {(mine && talk.may) || talk.rules ? (
            <button
              type="button"
              class="btn ghost sm sq"
              aria-label={t("talk.delete")}
              title={t("talk.delete")}
              onClick={() => setDoing("delete")}
            >
              <Icon name="trash-2" />
            </button>
          ) : null}
        </span>
      </div>
      {doing === "edit" ? (
        <Composer
          talk={talk}
          place={`edit:${comment.id}`}
          label={t("talk.edit.of")}
          button={t("talk.save")}
          text={comment.text}
          named={comment.mentions}
          focus
          send={async (said) => {
            await talk.edit(comment.id, said);
            setDoing(undefined);
          }}
          cancel={() => setDoing(undefined)}
        />
      ) : (
        <Text comment={comment} {...(talk.me === undefined ? {} : { me: talk.me })} />
      )}
      {doing === "delete" ? (
        <p class="tk-sure" role="alertdialog" aria-label={t("talk.delete.sure")}>
          <span>{t("talk.delete.sure")}</span>
          <button type="button" class="btn sm" onClick={() => setDoing(undefined)}>
            {t("talk.cancel")}
          </button>
          <button
            type="button"
            class="btn sm dng"
            ref={(el) => el?.focus()}
            onClick={() => {
              setDoing(undefined);
              void tried(editor, talk.remove(thread.id, comment.id));
            }}
          >
            {t("talk.delete")}
          </button>
        </p>
      ) : null}
    </li>
  );
}
