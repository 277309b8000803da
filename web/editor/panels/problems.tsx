// What is wrong with the drawing, with a way to each place and a button where
// the server knows how to put it right.

import { useEffect, useRef } from "preact/hooks";
import type { Issue } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { SidePanel } from "./panel.tsx";

export function Problems() {
  const editor = useEditor();
  const { session } = editor;
  const issues = [...session.issues.value].sort((a, b) => severity(a) - severity(b));
  const errors = issues.filter((i) => i.severity === "error").length;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.focus(), []);
  // The button that mends a finding goes with it: its focus stays in the list.
  useEffect(() => {
    if (document.activeElement === document.body) list.current?.focus();
  }, [issues.length]);
  return (
    <SidePanel title={t("editor.problems")}>
      <div class="ed-problems" tabIndex={-1} ref={list}>
        {issues.length === 0 ? (
          <div class="ed-allgood">
            <span class="st ok">
              <Icon name="check" />
            </span>
            <p>{t("editor.problems.none")}</p>
          </div>
        ) : (
          <p class="hint ed-count">
            {errors > 0
              ? t("editor.problems.errors", { n: errors })
              : t("editor.problems.warnings", { n: issues.length })}
          </p>
        )}
        <ul>
          {issues.map((issue, i) => (
            <Problem
              key={`${issue.code}:${issue.node ?? issue.edge ?? ""}:${issue.field ?? ""}:${i}`}
              issue={issue}
            />
          ))}
        </ul>
      </div>
    </SidePanel>
  );
}

function severity(issue: Issue): number {
  return issue.severity === "error" ? 0 : 1;
}

function Problem({ issue }: { readonly issue: Issue }) {
  const editor = useEditor();
  const { fix, example } = issue;
  return (
    <li class={`ed-problem ${issue.severity}`}>
      <button type="button" class="ed-jump" onClick={() => jump(editor, issue)}>
        <Icon name={issue.severity === "error" ? "circle-alert" : "triangle-alert"} />
        <span>
          <span class="sr">
            {t(issue.severity === "error" ? "editor.problems.error" : "editor.problems.warning")}:{" "}
          </span>
          {issue.node !== undefined && editor.drawing.nodes.has(issue.node) ? (
            <b>{nameOf(editor, issue.node)}</b>
          ) : null}
          <span>{issue.message}</span>
        </span>
      </button>
      {fix || (example && example.length > 0) ? (
        <div class="row">
          {example && example.length > 0 ? (
            <button type="button" class="btn sm" onClick={() => showExample(editor, issue)}>
              <Icon name="play" />
              {t("editor.problems.show")}
            </button>
          ) : null}
          {fix && !editor.session.readOnly.value ? (
            <button type="button" class="btn sm" onClick={() => applyFix(editor, issue)}>
              <Icon name="wrench" />
              {fix.title}
            </button>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

/** Selects the place of a problem and opens the field that it is about. */
export function jump(editor: Editor, issue: Issue): void {
  const { kernel, session } = editor;
  if (issue.node !== undefined && editor.drawing.nodes.has(issue.node)) {
    kernel.select({ nodes: [issue.node] });
    kernel.reveal([issue.node], true);
    session.inspector.value = true;
    session.tab.value = tabOf(issue.field);
    session.focusField.value = issue.field ?? "first";
  } else if (issue.edge !== undefined) {
    const edge = editor.drawing.edges.get(issue.edge);
    kernel.select({ edges: [issue.edge] });
    if (edge) kernel.reveal([edge.from, edge.to], true);
  } else if (issue.related) {
    kernel.select({ nodes: issue.related });
    kernel.reveal(issue.related, true);
  }
}

function tabOf(field: string | undefined): "configure" | "retries" {
  return field !== undefined && /^\/(retry|timeout|task)\b/.test(field) ? "retries" : "configure";
}

export function showExample(editor: Editor, issue: Issue): void {
  editor.session.example.value = { issue, step: 0 };
}

export function applyFix(editor: Editor, issue: Issue): void {
  if (!issue.fix) return;
  if (editor.commit(issue.fix.title, issue.fix.ops))
    editor.say(t("editor.said.done", { what: issue.fix.title }));
}
