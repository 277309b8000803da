// A step's settings, data, policies and notes.

import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { transactionOf } from "../../core/frame.ts";
import type { GraphNode, Issue } from "../../core/graph.ts";
import { EXTERNAL, settingsOf } from "../../core/task-type.ts";
import { rename } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import type { FocusRequest } from "../forms/context.ts";
import { FormProvider } from "../forms/context.ts";
import { Typist } from "../forms/field.tsx";
import { Fields } from "../forms/section.tsx";
import { Icon } from "../icon.tsx";
import { around, leftOrRight } from "../panels/list-keys.ts";
import { applyFix, jump, showExample } from "../panels/problems.tsx";
import { choosersOf, typist } from "../state/company.ts";
import type { Tab } from "../state/signals.ts";
import { nameOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { DataTab, LastOutput } from "./data.tsx";
import { configEnvironment, policyEnvironment } from "./environment.ts";
import { KeyField, WebhookAddress } from "./identity.tsx";
import { JoinField } from "./join.tsx";
import { StepMenu } from "./menu.tsx";
import { policySchema } from "./policy-schema.ts";

const tabs: readonly Tab[] = ["configure", "data", "retries", "notes"];

export function StepInspector({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const { session } = editor;
  const spec = specOf(editor, node);
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  const tab = session.tab.value;
  useFieldFocus(body);
  return (
    <>
      <header class="ed-insphead">
        <span class={`tile t-${spec.tile}`}>
          <Icon name={spec.icon} />
        </span>
        <div>
          <TitleField node={node} />
          <p>
            {t(`editor.category.${spec.category as "flow"}`)} · {within(spec.title)}
          </p>
        </div>
        <StepMenu node={node} />
      </header>
      <Others node={node} />
      <div
        class="ed-tabs"
        role="tablist"
        aria-label={t("editor.tabs")}
        onKeyDown={(e) => tabKey(e, tab, (next) => (session.tab.value = next))}
      >
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={tab === name}
            aria-controls={`${id}-panel`}
            tabIndex={tab === name ? 0 : -1}
            onClick={() => (session.tab.value = name)}
          >
            {t(`editor.tab.${name}`)}
          </button>
        ))}
      </div>
      <div
        class="ed-inspbody"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab}`}
        ref={body}
      >
        {tab === "configure" ? <ConfigureTab node={node} /> : null}
        {tab === "data" ? <DataTab node={node} /> : null}
        {tab === "retries" ? <PolicyTab node={node} /> : null}
        {tab === "notes" ? <NotesTab node={node} /> : null}
      </div>
      <IssueFoot node={node} />
    </>
  );
}

/** A kind's title inside of a line: what is written large as a whole, as HTTP, stays so. */
function within(title: string): string {
  return title.replace(/^\p{Lu}(?!\p{Lu})/u, (first) => first.toLowerCase());
}

/** Who has this step open too. */
function Others({ node }: { readonly node: GraphNode }) {
  const names = new Set(choosersOf(useEditor(), [node.id]).map((p) => p.name));
  if (names.size === 0) return null;
  return (
    <p class="ed-others" role="status">
      <Icon name="users" />
      {t("editor.shared.here", { who: [...names].join(", ") })}
    </p>
  );
}

function ConfigureTab({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const spec = specOf(editor, node);
  const focusNext = useRef<FocusRequest["current"]>(undefined) as FocusRequest;
  const environment = configEnvironment(editor, node, focusNext);
  return (
    <FormProvider value={environment}>
      <div class="ed-fields">
        {node.disabled ? (
          <p class="note">
            <Icon name="power-off" />
            <span>{t("editor.disabled")}</span>
          </p>
        ) : null}
        <WebhookAddress node={node} />
        <Fields
          schema={
            node.kind === EXTERNAL
              ? settingsOf(spec.config, node, editor.session.taskTypes.value)
              : spec.config
          }
          value={node.config ?? {}}
        />
        {Object.keys(spec.config.properties ?? {}).length === 0 ? (
          <p class="hint">{spec.help}</p>
        ) : null}
        <JoinField node={node} />
        <KeyField node={node} />
        <LastOutput node={node} />
      </div>
    </FormProvider>
  );
}

function PolicyTab({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const spec = specOf(editor, node);
  const focusNext = useRef<FocusRequest["current"]>(undefined) as FocusRequest;
  const environment = policyEnvironment(editor, node, focusNext);
  const saga = transactionOf(editor.drawing, node.id) !== undefined;
  const schema = useMemo(() => policySchema(spec, saga), [spec, saga]);
  return (
    <FormProvider value={environment}>
      <div class="ed-fields">
        {spec.work === "task" ? null : <p class="hint">{t("editor.policy.inline")}</p>}
        <Fields schema={schema} value={environment.config} />
      </div>
    </FormProvider>
  );
}

function NotesTab({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const id = useId();
  const notes = editor.drawing.place(node.id).notes ?? "";
  const who = typist(editor, node.id, "/notes");
  return (
    <div class="ed-fields">
      <div class="ed-field" data-field="/notes">
        <label class="lab" for={id}>
          {t("editor.notes")}
        </label>
        <textarea
          id={id}
          class="inp ed-tall"
          rows={10}
          maxLength={20_000}
          value={notes}
          readOnly={editor.session.readOnly.value || who !== undefined}
          placeholder={t("editor.notes.placeholder")}
          onInput={(e) => {
            const value = e.currentTarget.value;
            editor.commit(
              t("editor.do.notes", { step: nameOf(editor, node.id) }),
              [{ op: "node.set", id: node.id, path: "/notes", ...(value === "" ? {} : { value }) }],
              `${node.id}/notes`,
            );
          }}
        />
        {who === undefined ? null : <Typist who={who} />}
      </div>
    </div>
  );
}

function TitleField({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const name = nameOf(editor, node.id);
  const [text, setText] = useState<string | undefined>(undefined);
  const commit = () => {
    if (text !== undefined && text !== name) rename(editor, node.id, text);
    setText(undefined);
  };
  return (
    <h2>
      <input
        class="ed-titlefield"
        aria-label={t("editor.renameStep")}
        maxLength={200}
        value={text ?? name}
        readOnly={editor.session.readOnly.value}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(e) => {
          if (e.isComposing) return;
          if (e.key === "Enter") e.currentTarget.blur();
          if (e.key === "Escape" && text !== undefined) {
            e.preventDefault();
            setText(undefined);
          }
        }}
      />
    </h2>
  );
}

function IssueFoot({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const issues = editor.session.issues.value.filter((i) => i.node === node.id);
  const issue = issues.find((i) => i.severity === "error") ?? issues[0];
  if (!issue) return null;
  return (
    <footer class={`ed-inspfoot ${issue.severity}`}>
      <Icon name={issue.severity === "error" ? "circle-alert" : "triangle-alert"} />
      <span>{issue.message}</span>
      <IssueAction issue={issue} />
    </footer>
  );
}

function IssueAction({ issue }: { readonly issue: Issue }) {
  const editor = useEditor();
  if (issue.fix && !editor.session.readOnly.value) {
    return (
      <button type="button" class="lnk fix" onClick={() => applyFix(editor, issue)}>
        {issue.fix.title}
      </button>
    );
  }
  const example = issue.example !== undefined && issue.example.length > 0;
  return (
    <button
      type="button"
      class="lnk"
      onClick={() => (example ? showExample(editor, issue) : jump(editor, issue))}
    >
      {t("editor.problems.show")}
    </button>
  );
}

function tabKey(
  event: KeyboardEvent & { currentTarget: HTMLElement },
  tab: Tab,
  choose: (tab: Tab) => void,
): void {
  const move = leftOrRight(event.key);
  if (move === 0) return;
  event.preventDefault();
  const next = around(tabs.indexOf(tab), move, tabs.length);
  choose(tabs[next] ?? "configure");
  event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
}

const focusable =
  'input:not([type="hidden"]), select, textarea, button.ed-addrow, [role="textbox"]';

/** Brings a field into view and focus when somebody asked for it. */
function useFieldFocus(body: { readonly current: HTMLElement | null }): void {
  const { session } = useEditor();
  const wanted = session.focusField.value;
  useEffect(() => {
    if (wanted === undefined) return;
    session.focusField.value = undefined;
    const field = wanted === "first" ? firstOpen(body.current) : placeOf(body.current, wanted);
    const details = field?.closest("details");
    if (details) details.open = true;
    const control = field?.matches(focusable)
      ? field
      : field?.querySelector<HTMLElement>(focusable);
    control?.focus();
    field?.scrollIntoView({ block: "nearest" });
  }, [wanted]);
}

/** The first required field without an answer, else the first one. */
function firstOpen(body: HTMLElement | null): HTMLElement | undefined {
  const fields = [...(body?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
  return (
    fields.find(
      (f) =>
        f.querySelector(".ed-req") &&
        f.querySelector(".ph, input.inp:placeholder-shown, button.ed-addrow"),
    ) ?? fields[0]
  );
}

/** The innermost field that holds the place. */
function placeOf(body: HTMLElement | null, pointer: string): HTMLElement | undefined {
  const fields = [...(body?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
  const holds = fields.filter(
    (f) => pointer === f.dataset["field"] || pointer.startsWith(`${f.dataset["field"]}/`),
  );
  const innermost = holds.sort(
    (a, b) => (b.dataset["field"]?.length ?? 0) - (a.dataset["field"]?.length ?? 0),
  )[0];
  // A problem may be about all of the settings: then the first one is as near.
  return innermost ?? fields.find((f) => f.dataset["field"]?.startsWith(`${pointer}/`));
}
