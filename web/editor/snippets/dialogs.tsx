// Keeping the chosen steps under a name, and looking after what is kept.

import { useEffect, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Modal } from "../dialogs/modal.tsx";
import { Icon } from "../icon.tsx";
import { ApiError, reasonOf } from "../net/api.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { Picture } from "./picture.tsx";
import type { Snippet } from "./snippets.ts";
import { addSnippet, deleteSnippet, loadSnippets, renameSnippet, saveSnippet } from "./snippets.ts";

function why(error: unknown): string {
  return error instanceof ApiError ? reasonOf(error) : String(error);
}

export function SaveSnippet() {
  const editor = useEditor();
  const { session } = editor;
  const [first] = session.selection.value.nodes;
  const [name, setName] = useState(first === undefined ? "" : nameOf(editor, first));
  const [about, setAbout] = useState("");
  const [fault, setFault] = useState("");
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await saveSnippet(editor, name, about);
      session.dialog.value = undefined;
      editor.toast(t("editor.snippet.saved", { name: name.trim() }));
    } catch (error) {
      setFault(why(error));
    }
  };
  return (
    <Modal
      title={t("editor.snippet.save")}
      footer={
        <button type="submit" form="snippet-form" class="btn pri">
          {t("editor.snippet.keep")}
        </button>
      }
    >
      <form id="snippet-form" class="body" onSubmit={(e) => void save(e)}>
        <Fault text={fault} />
        <div class="fld">
          <label for="snippet-name">{t("editor.snippet.name")}</label>
          <input
            id="snippet-name"
            class="inp"
            required
            maxLength={80}
            autocomplete="off"
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
        </div>
        <div class="fld">
          <label for="snippet-about">{t("editor.snippet.about")}</label>
          <textarea
            id="snippet-about"
            class="inp"
            rows={3}
            maxLength={400}
            value={about}
            onInput={(e) => setAbout(e.currentTarget.value)}
          />
        </div>
        <p class="hint">{t("editor.snippet.hint")}</p>
      </form>
    </Modal>
  );
}

function Fault({ text }: { readonly text: string }) {
  if (text === "") return null;
  return (
    <p class="note fail" role="alert">
      <Icon name="triangle-alert" />
      <span>{text}</span>
    </p>
  );
}

export function Snippets() {
  const editor = useEditor();
  const { session } = editor;
  const list = session.snippets.value;
  const [shown, setShown] = useState<string>();
  const [fault, setFault] = useState("");
  useEffect(() => void loadSnippets(editor), []);
  const chosen = list.find((one) => one.id === shown) ?? list[0];
  const act = (work: () => Promise<void>) => {
    setFault("");
    work().catch((error: unknown) => setFault(why(error)));
  };
  return (
    <Modal title={t("editor.snippets")} wide>
      <div class="body ed-snips">
        <ul aria-label={t("editor.snippets")}>
          {list.map((one) => (
            <li key={one.id}>
              <button type="button" aria-pressed={one === chosen} onClick={() => setShown(one.id)}>
                <b>{one.name}</b>
                <small>
                  {one.built_in ? t("editor.snippet.builtIn") : (one.by ?? "")}
                  {" · "}
                  {t("editor.snippet.steps", { n: one.graph.nodes.length })}
                </small>
              </button>
            </li>
          ))}
        </ul>
        <div>
          <Fault text={fault} />
          {chosen ? <Chosen key={chosen.id} one={chosen} act={act} /> : null}
        </div>
      </div>
    </Modal>
  );
}

type ChosenProps = {
  readonly one: Snippet;
  readonly act: (work: () => Promise<void>) => void;
};

function Chosen({ one, act }: ChosenProps) {
  const editor = useEditor();
  const { session } = editor;
  const [name, setName] = useState(one.name);
  const [about, setAbout] = useState(one.about);
  const [sure, setSure] = useState(false);
  const own = !one.built_in && !session.readOnly.value;
  const changed = name !== one.name || about !== one.about;
  return (
    <section class="ed-snip" aria-label={one.name}>
      <Picture id={one.id} />
      {own ? (
        <>
          <div class="fld">
            <label for="snip-name">{t("editor.snippet.name")}</label>
            <input
              id="snip-name"
              class="inp"
              maxLength={80}
              value={name}
              onInput={(e) => setName(e.currentTarget.value)}
            />
          </div>
          <div class="fld">
            <label for="snip-about">{t("editor.snippet.about")}</label>
            <textarea
              id="snip-about"
              class="inp"
              rows={2}
              maxLength={400}
              value={about}
              onInput={(e) => setAbout(e.currentTarget.value)}
            />
          </div>
        </>
      ) : (
        <p>{one.about}</p>
      )}
      <div class="row end">
        {own ? (
          <>
            <button
              type="button"
              class="btn ghost dng"
              onClick={() => (sure ? act(() => deleteSnippet(editor, one.id)) : setSure(true))}
            >
              <Icon name="trash-2" />
              {t(sure ? "editor.snippet.sure" : "editor.snippet.delete")}
            </button>
            <button
              type="button"
              class="btn"
              disabled={!changed}
              onClick={() => act(() => renameSnippet(editor, { ...one, name, about }))}
            >
              {t("editor.snippet.rename")}
            </button>
          </>
        ) : null}
        {session.readOnly.value ? null : (
          <button
            type="button"
            class="btn pri"
            onClick={() => {
              session.dialog.value = undefined;
              addSnippet(editor, one, {});
            }}
          >
            {t("editor.snippet.insert")}
          </button>
        )}
      </div>
    </section>
  );
}
