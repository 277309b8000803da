// The right end of the bar: who else is here, and what there is for oneself.

import { useEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t as words } from "../strings.ts";
import type { Nudge } from "./net.ts";
import { Ago, Avatar, initials, useTalk } from "./parts.tsx";
import type { Talk } from "./talk.ts";
import { t } from "./words.ts";

export function Others() {
  const talk = useTalk();
  return (
    <>
      <People />
      {talk ? <Bell talk={talk} /> : null}
    </>
  );
}

function People() {
  const { session } = useEditor();
  // Several tabs of one person are one.
  const people = [...new Map(session.people.value.map((p) => [p.name, p])).values()];
  if (people.length === 0) return null;
  return (
    <ul class="ed-people" aria-label={words("editor.people")}>
      {people.slice(0, 4).map((p) => (
        <li key={p.id} class={`av a${p.hue}`} title={p.name}>
          <span aria-hidden="true">{initials(p.name)}</span>
          <span class="sr">{p.name}</span>
        </li>
      ))}
    </ul>
  );
}

function Bell({ talk }: { readonly talk: Talk }) {
  const { unread, nudges } = talk.inbox.value;
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    void talk.readInbox();
    const away = (e: Event) => {
      if (e.target instanceof Node && !place.current?.contains(e.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open]);
  return (
    <div
      class="tk-bell"
      ref={place}
      onKeyDown={(e) => {
        if (e.key !== "Escape" || !open) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        ref={button}
        class="btn ghost sq bell"
        aria-expanded={open}
        aria-label={t("talk.inbox.open", { n: unread })}
        title={t("talk.inbox")}
        onClick={() => setOpen(!open)}
      >
        <Icon name="bell" />
        {unread > 0 ? (
          <span class="dotn" aria-hidden="true">
            {unread > 99 ? "99+" : unread}
          </span>
        ) : null}
      </button>
      {open ? (
        <section class="pop nudges" aria-label={t("talk.inbox")}>
          <p class="nudges-head">
            <b>{t("talk.inbox")}</b>
            {unread > 0 ? (
              <button type="button" class="lnk" onClick={() => void talk.readAll()}>
                {t("talk.inbox.readAll")}
              </button>
            ) : null}
            <a href="/inbox">{t("talk.inbox.all")}</a>
          </p>
          {nudges.length === 0 ? <p class="nudges-none">{t("talk.inbox.none.lead")}</p> : null}
          <ul>
            {nudges.map((n) => (
              <Row key={n.id} talk={talk} nudge={n} close={() => setOpen(false)} />
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}

type RowProps = { readonly talk: Talk; readonly nudge: Nudge; close(): void };

function Row({ talk, nudge, close }: RowProps) {
  const editor = useEditor();
  // What is on this drawing opens here.
  const here =
    nudge.workflow === editor.api.workflow && editor.session.versionShown.value === undefined;
  return (
    <li>
      <a
        href={nudge.href}
        data-unread={!nudge.read}
        onClick={(e) => {
          if (!here || nudge.thread === undefined || e.ctrlKey || e.metaKey || e.shiftKey) return;
          e.preventDefault();
          close();
          void talk.look(nudge.thread);
        }}
      >
        <Avatar name={nudge.by} />
        <span class="nudge">
          <span>
            {nudge.read ? null : <span class="sr">{t("talk.inbox.new")} </span>}
            {t(`talk.nudge.${nudge.kind}`, { name: nudge.by })}
          </span>
          {nudge.text === "" ? null : <bdi class="said">{nudge.text}</bdi>}
          <small>
            <span class="clip">{nudge.title ? `${nudge.name} · ${nudge.title}` : nudge.name}</span>
            <Ago at={nudge.at} talk={talk} />
          </small>
        </span>
      </a>
    </li>
  );
}
