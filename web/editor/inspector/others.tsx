// The inspector when no single step is selected.

import { useId } from "preact/hooks";
import type { Edge, Note } from "../../core/graph.ts";
import { duplicate } from "../actions/copies.ts";
import { labelField, setLabel } from "../actions/edge.ts";
import { remove, toggleDisabled, togglePin } from "../actions/edit.ts";
import { tidy } from "../actions/tidy.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { nameOf, portName } from "../state/words.ts";
import { t } from "../strings.ts";
import { Passages } from "../traffic/passages.tsx";

function Head({
  icon,
  title,
  detail,
}: {
  readonly icon: string;
  readonly title: string;
  readonly detail: string;
}) {
  return (
    <header class="ed-insphead">
      <span class="tile t-logic">
        <Icon name={icon} />
      </span>
      <div>
        <h2>{title}</h2>
        <p>{detail}</p>
      </div>
    </header>
  );
}

export function WorkflowInspector() {
  const editor = useEditor();
  const id = useId();
  const { session, drawing } = editor;
  const errors = session.issues.value.filter((i) => i.severity === "error").length;
  const warnings = session.issues.value.length - errors;
  return (
    <>
      <Head
        icon="workflow"
        title={drawing.name || session.workflow.value.name || t("editor.untitled")}
        detail={t("editor.workflow.size", { steps: drawing.nodes.size, edges: drawing.edges.size })}
      />
      <div class="ed-inspbody">
        <div class="ed-fields">
          <div class="ed-field">
            <label class="lab" for={id}>
              {t("editor.workflow.description")}
            </label>
            <textarea
              id={id}
              class="inp"
              rows={4}
              maxLength={20_000}
              value={drawing.description}
              readOnly={session.readOnly.value}
              placeholder={t("editor.workflow.descriptionPlaceholder")}
              onInput={(e) => {
                const value = e.currentTarget.value;
                editor.commit(
                  t("editor.do.describe"),
                  [{ op: "graph.set", path: "/description", ...(value === "" ? {} : { value }) }],
                  "description",
                );
              }}
            />
          </div>
          <label class="ed-field w-switch">
            <span class="lab">{t("editor.workflow.transaction")}</span>
            <input
              class="switch"
              type="checkbox"
              role="switch"
              checked={drawing.transaction}
              disabled={session.readOnly.value}
              onChange={(e) => {
                const on = e.currentTarget.checked;
                const value = on ? { value: true } : {};
                const label = t(on ? "editor.do.transaction" : "editor.do.noTransaction");
                editor.commit(label, [{ op: "graph.set", path: "/transaction", ...value }]);
              }}
            />
            <p class="hint">{t("editor.workflow.transactionHelp")}</p>
          </label>
          <section class="ed-value">
            <div class="lab">
              <h3>{t("editor.problems")}</h3>
            </div>
            {session.issues.value.length === 0 ? (
              <p class="ed-ok">
                <Icon name="check" />
                {t("editor.problems.none")}
              </p>
            ) : (
              <button type="button" class="lnk" onClick={() => (session.panel.value = "problems")}>
                {[
                  errors > 0 ? t("editor.problems.errors", { n: errors }) : "",
                  warnings > 0 ? t("editor.problems.warnings", { n: warnings }) : "",
                ]
                  .filter(Boolean)
                  .join(" ")}
              </button>
            )}
          </section>
          <p class="hint">{t("editor.workflow.hint")}</p>
        </div>
      </div>
    </>
  );
}

export function ManyInspector({ ids }: { readonly ids: readonly string[] }) {
  const editor = useEditor();
  const readOnly = editor.session.readOnly.value;
  const disabled = ids.every((id) => editor.drawing.nodes.get(id)?.disabled);
  const pinned = ids.every((id) => editor.drawing.place(id).pin !== undefined);
  return (
    <>
      <Head
        icon="group"
        title={t("editor.many", { n: ids.length })}
        detail={t("editor.many.detail")}
      />
      <div class="ed-inspbody">
        <div class="ed-fields ed-acts">
          <button type="button" class="btn" disabled={readOnly} onClick={() => void tidy(editor)}>
            <Icon name="align-horizontal-distribute-center" />
            {t("editor.selbar.tidy")}
          </button>
          <button
            type="button"
            class="btn"
            disabled={readOnly}
            onClick={() => void duplicate(editor, ids, [], { x: 32, y: 32 })}
          >
            <Icon name="copy" />
            {t("editor.selbar.duplicate")}
          </button>
          <button
            type="button"
            class="btn"
            disabled={readOnly}
            onClick={() => toggleDisabled(editor, ids)}
          >
            <Icon name={disabled ? "power" : "power-off"} />
            {t(disabled ? "editor.selbar.enable" : "editor.selbar.disable")}
          </button>
          <button
            type="button"
            class="btn"
            disabled={readOnly}
            onClick={() => togglePin(editor, ids)}
          >
            <Icon name={pinned ? "pin-off" : "pin"} />
            {t(pinned ? "editor.selbar.unpin" : "editor.selbar.pin")}
          </button>
          <button
            type="button"
            class="btn dng"
            disabled={readOnly}
            onClick={() => remove(editor, { nodes: ids, edges: [], notes: [], rejoin: false })}
          >
            <Icon name="trash-2" />
            {t("editor.selbar.delete")}
          </button>
        </div>
        <ul class="ed-hits">
          {ids.slice(0, 50).map((id) => (
            <li key={id}>
              <button type="button" onClick={() => editor.kernel.select({ nodes: [id] })}>
                <span class="clip">{nameOf(editor, id)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

export function EdgeInspector({ edge }: { readonly edge: Edge }) {
  const editor = useEditor();
  const { session } = editor;
  return (
    <>
      <Head
        icon="spline"
        title={t("editor.edge")}
        detail={t("editor.edge.detail", { port: portName(editor, edge.from, edge.port) })}
      />
      <div class="ed-inspbody">
        <div class="ed-fields">
          <dl class="ed-ends">
            <dt>{t("editor.edge.from")}</dt>
            <dd>
              <button
                type="button"
                class="lnk"
                onClick={() => editor.kernel.select({ nodes: [edge.from] })}
              >
                {nameOf(editor, edge.from)}
              </button>
              <span class="chip mono">{edge.port}</span>
            </dd>
            <dt>{t("editor.edge.to")}</dt>
            <dd>
              <button
                type="button"
                class="lnk"
                onClick={() => editor.kernel.select({ nodes: [edge.to] })}
              >
                {nameOf(editor, edge.to)}
              </button>
            </dd>
          </dl>
          <div class="ed-field">
            <label class="lab" for={labelField}>
              {t("editor.edge.label")}
            </label>
            <input
              id={labelField}
              class="inp"
              maxLength={60}
              placeholder={t("editor.edge.labelPlaceholder")}
              value={edge.label ?? ""}
              readOnly={session.readOnly.value}
              onInput={(e) => setLabel(editor, edge, e.currentTarget.value)}
            />
          </div>
          <section class="ed-value">
            <div class="lab">
              <h3>{t("editor.passages")}</h3>
            </div>
            <Passages edge={edge} />
          </section>
          <div class="row">
            <button
              type="button"
              class="btn"
              disabled={session.readOnly.value}
              onClick={() => (session.quickAdd.value = { edge: edge.id })}
            >
              <Icon name="plus" />
              {t("editor.selbar.insert")}
            </button>
            <button
              type="button"
              class="btn dng"
              disabled={session.readOnly.value}
              onClick={() =>
                remove(editor, { nodes: [], edges: [edge.id], notes: [], rejoin: false })
              }
            >
              <Icon name="trash-2" />
              {t("editor.selbar.delete")}
            </button>
          </div>
        </div>
      </div>
    </>
  );
}

export function NoteInspector({ id, note }: { readonly id: string; readonly note: Note }) {
  const editor = useEditor();
  const field = useId();
  return (
    <>
      <Head icon="sticky-note" title={t("editor.note")} detail={t("editor.note.detail")} />
      <div class="ed-inspbody">
        <div class="ed-fields">
          <div class="ed-field">
            <label class="lab" for={field}>
              {t("editor.noteText")}
            </label>
            <textarea
              id={field}
              class="inp ed-tall"
              rows={10}
              maxLength={20_000}
              value={note.text}
              readOnly={editor.session.readOnly.value}
              onInput={(e) =>
                editor.commit(
                  t("editor.do.noteText"),
                  [{ op: "note.set", id, path: "/text", value: e.currentTarget.value }],
                  `${id}/text`,
                )
              }
            />
          </div>
        </div>
      </div>
    </>
  );
}
