// What should change, in words.

import { useEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Modal } from "../dialogs/modal.tsx";
import { Icon } from "../icon.tsx";
import { ApiError, reasonOf } from "../net/api.ts";
import { t } from "../strings.ts";
import type { Assistant } from "./propose.ts";
import { propose, readAssistant } from "./propose.ts";

export function DescribeDialog() {
  const editor = useEditor();
  const { session } = editor;
  const [assistant, setAssistant] = useState<Assistant>();
  const [wish, setWish] = useState("");
  const [fault, setFault] = useState("");
  const [asking, setAsking] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    readAssistant()
      .then(setAssistant)
      .catch((error: unknown) => setFault(String(error)));
  }, []);
  useEffect(() => field.current?.focus(), [assistant?.chosen]);
  const ask = async (event: Event) => {
    event.preventDefault();
    if (asking || wish.trim() === "") return;
    setAsking(true);
    setFault("");
    try {
      await propose(editor, wish.trim());
      session.dialog.value = undefined;
    } catch (error) {
      setFault(error instanceof ApiError ? reasonOf(error) : String(error));
    } finally {
      setAsking(false);
    }
  };
  const role = editor.props.user?.role ?? "";
  const mayChoose = ["owner", "admin", "developer"].includes(role);
  return (
    <Modal
      title={t("editor.propose.title")}
      footer={
        assistant?.chosen ? (
          <button type="submit" form="wish-form" class="btn pri" disabled={asking}>
            {asking ? <span class="spin" aria-hidden="true" /> : <Icon name="sparkles" />}
            {t(asking ? "editor.propose.asking" : "editor.propose.ask")}
          </button>
        ) : mayChoose ? (
          <a class="btn pri" href="/settings#assistant">
            {t("editor.propose.choose")}
          </a>
        ) : null
      }
    >
      {assistant?.chosen === false ? (
        <div class="body">
          <p class="note info">
            <Icon name="info" />
            <span>{t(mayChoose ? "editor.propose.none.may" : "editor.propose.none")}</span>
          </p>
        </div>
      ) : (
        <form id="wish-form" class="body" onSubmit={(e) => void ask(e)}>
          {fault === "" ? null : (
            <p class="note fail" role="alert">
              <Icon name="triangle-alert" />
              <span>{fault}</span>
            </p>
          )}
          <div class="fld">
            <label for="wish">{t("editor.propose.wish")}</label>
            <textarea
              id="wish"
              class="inp"
              rows={5}
              maxLength={4000}
              placeholder={t("editor.propose.example")}
              value={wish}
              ref={field}
              onInput={(e) => setWish(e.currentTarget.value)}
              onKeyDown={(e) => {
                if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.isComposing) void ask(e);
              }}
            />
          </div>
          <p class="hint">{t("editor.propose.hint")}</p>
        </form>
      )}
    </Modal>
  );
}
