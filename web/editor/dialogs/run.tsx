// A test run of the draft: what goes in, and where it starts.

import { useState } from "preact/hooks";
import type { GraphNode, Json } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { jsonFault } from "../forms/code.tsx";
import { Icon } from "../icon.tsx";
import { inputOf } from "../inspector/environment.ts";
import { ApiError } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import type { TestOf } from "../state/signals.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";
import type { Options } from "./run-options.tsx";
import { PastInputs, TestOptions, testOf } from "./run-options.tsx";

/** The choices of the last test run on this page. */
let remembered: Options = { step: false, virtual: false, skip: true, pins: true };

/** A field that takes the focus would show its end. */
function fromTop(field: HTMLTextAreaElement | null): void {
  field?.setSelectionRange(0, 0);
}

export function RunDialog() {
  const editor = useEditor();
  const { session } = editor;
  const of = session.testOf.peek();
  const step = editor.drawing.nodes.get(of.only ?? of.to ?? "");
  const triggers = [...editor.drawing.nodes.values()].filter(
    (n) => editor.spec(n.kind)?.work === "trigger",
  );
  const [trigger, setTrigger] = useState(triggers[0]?.key);
  const only = of.only === undefined ? undefined : step;
  const [text, setText] = useState(() =>
    only ? lastText(editor, only) : startText(editor, triggers[0]),
  );
  const [options, setOptions] = useState(remembered);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const close = () => (session.dialog.value = undefined);
  const broken = text.trim() === "" ? undefined : jsonFault(text);
  const errors = session.issues.value.filter((i) => i.severity === "error");
  const node = triggers.find((n) => n.key === trigger);
  const set = (more: Partial<Options>) => {
    remembered = { ...options, ...more };
    setOptions(remembered);
  };

  const start = async () => {
    if (broken !== undefined || trigger === undefined || busy) return;
    setBusy(true);
    setFault(undefined);
    const input: unknown = text.trim() === "" ? {} : JSON.parse(text);
    try {
      if (only === undefined) keepSample(editor, input);
      if (!(await editor.settled())) throw new Error(t("editor.run.unsaved"));
      const { testing } = await import("../test/index.ts");
      const sample: unknown = JSON.parse(startText(editor, node));
      await testing.startTest(editor, {
        trigger,
        input: only === undefined ? input : sample,
        test: testOf(editor, options, of, input),
      });
      close();
    } catch (error) {
      setBusy(false);
      setFault(wordsOf(error));
    }
  };
  return (
    <Modal
      title={titleOf(editor, of)}
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
        {triggers.length > 1 && only === undefined ? (
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
        {only ? <PastInputs node={only} take={setText} fail={setFault} /> : null}
        <div class="fld">
          <label for="ed-run-input">
            {only ? t("editor.run.gets", { step: nameOf(editor, only.id) }) : t("editor.run.input")}
          </label>
          <textarea
            id="ed-run-input"
            ref={fromTop}
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
              {helpOf(node, only !== undefined, !session.readOnly.value)}
            </p>
          ) : (
            <p class="err" id="ed-run-help">
              <Icon name="circle-alert" />
              <span>{t("editor.form.badJSON", { fault: broken })}</span>
            </p>
          )}
        </div>
        <TestOptions of={of} options={options} set={set} />
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

/** What the author says of the input, if anything. */
function helpOf(trigger: GraphNode | undefined, only: boolean, kept: boolean): string {
  if (only) return t("editor.run.getsHelp");
  const help = trigger?.config?.["description"];
  return typeof help === "string" && help !== ""
    ? help
    : t(kept ? "editor.run.inputHelp" : "editor.run.inputOnce");
}

function titleOf(editor: Editor, of: TestOf): string {
  if (of.only !== undefined) return t("editor.run.only", { step: nameOf(editor, of.only) });
  if (of.to !== undefined) return t("editor.run.to", { step: nameOf(editor, of.to) });
  return t("editor.run.title");
}

/** What a step got last, from the steps before it. */
function lastText(editor: Editor, node: GraphNode): string {
  return JSON.stringify(inputOf(editor, node) ?? {}, undefined, 2);
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
