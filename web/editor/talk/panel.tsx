// The comments beside the canvas: a list to choose from, one thread, or a new
// one that is being written.

import { useEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { upOrDown } from "../panels/list-keys.ts";
import { SidePanel } from "../panels/panel.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { Composer } from "./composer.tsx";
import type { Thread } from "./net.ts";
import { Ago, Avatar, useTalk } from "./parts.tsx";
import type { Filter, Talk } from "./talk.ts";
import { placeOf, ThreadView } from "./thread.tsx";
import { t } from "./words.ts";

export function Comments() {
  const talk = useTalk();
  return (
    <SidePanel title={t("talk.comments")}>
      {talk ? (
        <div class="tk">
          {talk.open.value === undefined ? <List talk={talk} /> : <ThreadView talk={talk} />}
        </div>
      ) : null}
    </SidePanel>
  );
}

const filters: readonly Filter[] = ["open", "unread", "resolved"];

const fits: Readonly<Record<Filter, (thread: Thread) => boolean>> = {
  open: (th) => !th.resolved,
  unread: (th) => th.unread > 0,
  resolved: (th) => th.resolved !== undefined,
};

function List({ talk }: { readonly talk: Talk }) {
  const editor = useEditor();
  void editor.session.revision.value;
  const step = talk.step.value;
  const all = talk.threads.value.filter((th) => step === undefined || th.node === step);
  const shown = all.filter(fits[talk.filter.value]);
  const place = useRef<HTMLDivElement>(null);
  const writing = talk.writing.value;
  useEffect(() => {
    if (writing === undefined)
      place.current?.querySelector<HTMLElement>("input:checked, button")?.focus();
  }, [writing === undefined]);
  return (
    <div class="tk-all" ref={place}>
      <fieldset class="seg tk-filter">
        <legend class="sr">{t("talk.filter")}</legend>
        {filters.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="tk-filter"
              checked={talk.filter.value === name}
              onChange={() => (talk.filter.value = name)}
            />
            {t(`talk.filter.${name}`)}
            <span class="tn">{all.filter(fits[name]).length}</span>
          </label>
        ))}
      </fieldset>
      {step === undefined ? null : (
        <p class="tk-only">
          <span class="clip">{t("talk.filter.step", { step: nameOf(editor, step) })}</span>
          <button type="button" class="lnk" onClick={() => (talk.step.value = undefined)}>
            {t("talk.filter.clear")}
          </button>
        </p>
      )}
      {talk.may ? <New key={writing} talk={talk} /> : null}
      {talk.reading.value === "failed" ? (
        <p class="note fail tk-pad" role="alert">
          <span>{t("talk.failed")}</span>
          <button type="button" class="lnk" onClick={() => void talk.load()}>
            {t("talk.again")}
          </button>
        </p>
      ) : null}
      {talk.reading.value === "ready" && shown.length === 0 ? <Nothing talk={talk} /> : null}
      <ul class="tk-list" onKeyDown={walk}>
        {shown.map((th) => (
          <Row key={th.id} talk={talk} thread={th} />
        ))}
      </ul>
    </div>
  );
}

/** Arrows walk the threads. */
function walk(e: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const way = upOrDown(e.key);
  if (way === 0) return;
  const rows = [...e.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, Math.min(rows.length - 1, at + way))]?.focus();
  e.preventDefault();
}

function Nothing({ talk }: { readonly talk: Talk }) {
  return (
    <div class="tk-none">
      <Icon name="message-square" />
      <b>{t(`talk.none.${talk.filter.value}`)}</b>
      {talk.filter.value === "open" ? (
        <p>{t(talk.may ? "talk.none.lead" : "talk.none.look")}</p>
      ) : null}
    </div>
  );
}

/** Where a new thread is written, or the button for it. */
function New({ talk }: { readonly talk: Talk }) {
  const editor = useEditor();
  const node = talk.writing.value;
  const chosen = onlyStep(editor);
  if (node === undefined) {
    return (
      <button type="button" class="btn tk-new" onClick={() => talk.write(chosen)}>
        <Icon name="message-square-plus" />
        <span class="clip">{chosen === undefined ? t("talk.new") : newOn(editor, chosen)}</span>
      </button>
    );
  }
  const label = node === "" ? t("talk.new") : newOn(editor, node);
  return (
    <div class="tk-begin">
      <b class="clip">{label}</b>
      <Composer
        talk={talk}
        place={`new:${node}`}
        label={label}
        hint={t("talk.write.hint")}
        button={t("talk.write")}
        focus
        send={(said) => talk.begin(node, said)}
        cancel={() => (talk.writing.value = undefined)}
      />
    </div>
  );
}

const newOn = (editor: Editor, node: string): string =>
  t("talk.new.step", { step: nameOf(editor, node) });

function onlyStep(editor: Editor): string | undefined {
  const [only, ...more] = editor.session.selection.value.nodes;
  return more.length === 0 ? only : undefined;
}

function Row({ talk, thread }: { readonly talk: Talk; readonly thread: Thread }) {
  const editor = useEditor();
  const first = thread.comments.find((c) => !c.deleted);
  const replies = thread.count - 1;
  return (
    <li>
      <button
        type="button"
        data-unread={thread.unread > 0}
        onClick={() => void talk.look(thread.id)}
      >
        <Avatar name={first?.by.name ?? ""} />
        <span class="tk-row">
          <span class="tk-by">
            <b class="clip">{first?.by.name}</b>
            <Ago at={thread.last_at} talk={talk} />
            {thread.unread > 0 ? (
              <span class="tk-dot">{t("talk.unread", { n: thread.unread })}</span>
            ) : null}
          </span>
          <bdi class="said">{first?.text}</bdi>
          <small>
            <span class="clip">{placeOf(editor, thread)}</span>
            {replies > 0 ? <span>{t("talk.replies", { n: replies })}</span> : null}
          </small>
        </span>
      </button>
    </li>
  );
}
