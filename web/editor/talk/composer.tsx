// The field in which a comment is written. An @ offers the members.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Named } from "../../core/said.ts";
import { fitting, mentioned, namingAt, withName } from "../../core/said.ts";
import { Icon } from "../icon.tsx";
import { ApiError, reasonOf } from "../net/api.ts";
import { upOrDown } from "../panels/list-keys.ts";
import { keyWords } from "../shell/keys.ts";
import type { Said } from "./net.ts";
import { Avatar } from "./parts.tsx";
import type { Talk } from "./talk.ts";
import { t } from "./words.ts";

const textMax = 4_000;
const tellBelow = 200; // characters left

type Props = {
  readonly talk: Talk;
  /** Under which name the text is kept until it is sent. */
  readonly place: string;
  readonly label: string;
  readonly hint?: string;
  readonly button: string;
  readonly text?: string;
  readonly named?: readonly Named[];
  readonly focus?: boolean;
  send(said: Said): Promise<void>;
  /** Without one there is nothing to cancel. */
  readonly cancel?: (() => void) | undefined;
};

export function Composer(props: Props) {
  const { talk, place, label } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(talk.drafts.get(place) ?? props.text ?? "");
  const [chosen, setChosen] = useState(
    new Map((props.named ?? []).map((p) => [p.id, p.name] as const)),
  );
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const names = useNames(talk, field, text, (next, caret, person) => {
    setChosen(new Map([...chosen, [person.id, person.name]]));
    // At once: the next key may come before the field is drawn again.
    if (field.current) field.current.value = next;
    caretTo(field.current, caret);
    write(next);
  });
  const write = (next: string) => {
    setText(next);
    if (next === (props.text ?? "")) talk.drafts.delete(place);
    else talk.drafts.set(place, next);
  };
  useLayoutEffect(() => {
    const el = field.current;
    if (!el) return;
    el.style.height = "auto";
    el.style.height = `${Math.min(el.scrollHeight + 2, 240)}px`;
  }, [text]);
  useEffect(() => {
    if (!props.focus) return;
    field.current?.focus();
    caretTo(field.current, text.length);
  }, []);
  const left = textMax - text.trim().length;
  const ready = text.trim() !== "" && left >= 0 && !busy;
  const send = async () => {
    if (!ready) return;
    setBusy(true);
    setFault(undefined);
    try {
      await props.send({ text, mentions: mentioned(text, chosen) });
      talk.drafts.delete(place);
      setText("");
    } catch (error) {
      setFault(error instanceof ApiError ? reasonOf(error) : t("talk.failed"));
    }
    setBusy(false);
  };
  const cancel = () => {
    talk.drafts.delete(place);
    props.cancel?.();
  };
  return (
    <div class="tk-write">
      <textarea
        ref={field}
        class="inp"
        rows={1}
        aria-label={label}
        placeholder={props.hint ?? label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={names.list.length > 0 ? id : undefined}
        aria-activedescendant={names.list.length > 0 ? `${id}-${names.at}` : undefined}
        aria-invalid={left < 0 || undefined}
        value={text}
        onFocus={() => void talk.readMembers()}
        onInput={(e) => {
          write(e.currentTarget.value);
          names.look();
        }}
        onClick={names.look}
        onBlur={names.close}
        onKeyDown={(e) => {
          if (e.isComposing || names.key(e)) return;
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            void send();
          } else if (e.key === "Escape" && props.cancel) {
            e.preventDefault();
            props.cancel();
          }
        }}
      />
      {names.list.length > 0 ? (
        <ul class="pop tk-names" role="listbox" id={id} aria-label={t("talk.names")}>
          {names.list.map((person, i) => (
            <li
              key={person.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === names.at}
              class={i === names.at ? "on" : undefined}
              onPointerDown={(e) => {
                e.preventDefault(); // the field keeps the focus
                names.take(i);
              }}
            >
              <Avatar name={person.name} />
              <span class="clip">{person.name}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <p class="sr" role="status">
        {names.list.length > 0 ? t("talk.names.found", { n: names.list.length }) : ""}
      </p>
      {fault === undefined ? null : (
        <p class="note fail" role="alert">
          <Icon name="circle-alert" />
          <span>{fault}</span>
        </p>
      )}
      <div class="tk-foot">
        <span class={left < 0 ? "hint over" : "hint"}>
          {left < tellBelow
            ? t("talk.left", { n: left })
            : t("talk.keys", { keys: keyWords("mod+enter") })}
        </span>
        {props.cancel ? (
          <button type="button" class="btn sm" onClick={cancel}>
            {t("talk.cancel")}
          </button>
        ) : null}
        <button type="button" class="btn sm pri" disabled={!ready} onClick={() => void send()}>
          {busy ? <span class="spin" /> : null}
          {props.button}
        </button>
      </div>
    </div>
  );
}

function caretTo(field: HTMLTextAreaElement | null, caret: number): void {
  field?.setSelectionRange(caret, caret);
}

/** The members who fit what is being named at the caret. */
function useNames(
  talk: Talk,
  field: { readonly current: HTMLTextAreaElement | null },
  text: string,
  put: (text: string, caret: number, person: Named) => void,
) {
  const [caret, setCaret] = useState<number | undefined>(undefined);
  const [at, setAt] = useState(0);
  const naming = caret === undefined ? undefined : namingAt(text, caret);
  const list = naming ? fitting(talk.members.value, naming.query) : [];
  const close = () => setCaret(undefined);
  const take = (i: number) => {
    const person = list[i];
    if (!person || !naming || caret === undefined) return;
    const next = withName(text, naming, caret, person.name);
    close();
    put(next.text, next.caret, person);
  };
  const key = (e: KeyboardEvent): boolean => {
    if (list.length === 0) return false;
    const way = upOrDown(e.key);
    if (way !== 0) setAt((at + way + list.length) % list.length);
    else if ((e.key === "Enter" && !e.ctrlKey && !e.metaKey) || e.key === "Tab") take(at);
    else if (e.key === "Escape") close();
    else return false;
    e.preventDefault();
    return true;
  };
  const look = () => {
    setCaret(field.current?.selectionStart);
    setAt(0);
  };
  return { list, at: Math.min(at, Math.max(0, list.length - 1)), key, look, take, close };
}
