// A test run of the draft: what goes in, and where it starts.

import { useState } from "preact/hooks";
import type { GraphNode, Json } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { jsonFault } from "../forms/code.tsx";
import { Icon } from "../icon.tsx";
import { ApiError } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

export function RunDialog() {
  const editor = useEditor();
  const { session } = editor;
  const triggers = [...editor.drawing.nodes.values()].filter(
    (n) => editor.spec(n.kind)?.work === "trigger",
  );
  const [trigger, setTrigger] = useState(triggers[0]?.key);
  const [text, setText] = useState(() => startText(editor, triggers[0]));
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const close = () => (session.dialog.value = undefined);
  const broken = text.trim() === "" ? undefined : jsonFault(text);
  const errors = session.issues.value.filter((i) => i.severity === "error");
  const node = triggers.find((n) => n.key === trigger);
  const help = node?.config?.["description"];

  const start = async () => {
    if (broken !== undefined || trigger === undefined) return;
    setBusy(true);
    setFault(undefined);
    const input: unknown = text.trim() === "" ? {} : JSON.parse(text);
    try {
      keepSample(editor, input);
      if (!(await editor.settled())) throw new Error(t("editor.run.unsaved"));
      const { run } = await editor.api.run(input, trigger);
      location.assign(`/runs/${encodeURIComponent(run.id)}`);
    } catch (error) {
      setBusy(false);
      setFault(wordsOf(error));
    }
  };
  return (
    <Modal
      title={t("editor.run.title")}
      footer={
        <>
          <span class="hint ed-runnote">{t("editor.run.draft")}</span>
          <button type="button" class="btn" onClick={close}>
            {t("editor.cancel")}
          </button>
          <button
            type="button"
            class="btn pri"
            disabled={busy || broken !== undefined || trigger === undefined}
            onClick={() => void start()}
          >
            {busy ? <span class="spin" /> : <Icon name="play" />}
            {t("editor.run.start")}
          </button>
        </>
      }
    >
      <form
        class="body"
        onSubmit={(e) => {
          e.preventDefault();
          void start();
        }}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.metaKey || e.ctrlKey)) {
            e.preventDefault();
            e.stopPropagation();
            void start();
          }
        }}
      >
        {trigger === undefined ? (
          <p class="note fail">
            <Icon name="circle-alert" />
            <span>{t("editor.run.noTrigger")}</span>
          </p>
        ) : null}
        {triggers.length > 1 ? (
          <div class="fld">
            <label for="ed-run-trigger">{t("editor.run.trigger")}</label>
            <select
              id="ed-run-trigger"
              class="sel"
              value={trigger}
              onChange={(e) => setTrigger(e.currentTarget.value)}
            >
              {triggers.map((n) => (
                <option key={n.id} value={n.key}>
                  {nameOf(editor, n.id)}
                </option>
              ))}
            </select>
          </div>
        ) : null}
        <div class="fld">
          <label for="ed-run-input">{t("editor.run.input")}</label>
          <textarea
            id="ed-run-input"
            class="inp mono ed-runinput"
            rows={10}
            spellcheck={false}
            autofocus
            value={text}
            aria-invalid={broken !== undefined || undefined}
            aria-describedby="ed-run-help"
            onInput={(e) => setText(e.currentTarget.value)}
          />
          {broken === undefined ? (
            <p class="hint" id="ed-run-help">
              {typeof help === "string" && help !== "" ? help : t("editor.run.inputHelp")}
            </p>
          ) : (
            <p class="err" id="ed-run-help">
              <Icon name="circle-alert" />
              <span>{t("editor.form.badJSON", { fault: broken })}</span>
            </p>
          )}
        </div>
        {errors.length > 0 && fault === undefined ? (
          <p class="note warn">
            <Icon name="triangle-alert" />
            <span>{t("editor.run.errors", { n: errors.length })}</span>
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

function startText(editor: Editor, trigger: GraphNode | undefined): string {
  const seen = editor.session.samples.value.trigger ?? undefined;
  const value =
    editor.drawing.sample ?? seen ?? (trigger && editor.spec(trigger.kind)?.output) ?? {};
  return JSON.stringify(value, undefined, 2);
}

/** The input is kept with the drawing, for the next test and the next person. */
function keepSample(editor: Editor, input: unknown): void {
  if (JSON.stringify(editor.drawing.sample) === JSON.stringify(input)) return;
  editor.commit(t("editor.do.sample"), [
    { op: "graph.set", path: "/sample", value: input as Json },
  ]);
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.issues.length > 0)
    return error.issues.map((i) => i.message).join(" ");
  return error instanceof Error ? error.message : String(error);
}
