// What differs between two versions, with the fields that changed.

import { useId } from "preact/hooks";
import { titleOf, unknownSpec } from "../../core/card.ts";
import type { FieldChange, Mark } from "../../core/diff.ts";
import type { Graph } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import {
  addressOf,
  CHECKPOINT,
  type Comparison,
  DRAFT,
  NOTHING,
  type Side,
} from "../state/compare.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";
import { ReviewBox } from "../talk/review.tsx";
import { SidePanel } from "./panel.tsx";

export const icons: Readonly<Record<Mark, string>> = {
  added: "plus",
  removed: "minus",
  changed: "pencil",
};

export function Changes() {
  const editor = useEditor();
  const shown = editor.session.comparison.value;
  if (shown === undefined) return null;
  const { nodes, edges, notes, fields, moved } = shown.diff;
  const many = nodes.length + edges.length + notes.length + fields.length;
  return (
    <SidePanel title={t("editor.compare")}>
      <div class="ed-changes">
        <ReviewBox />
        <Sides shown={shown} />
        <p class="hint ed-count" role="status">
          {many === 0 ? t("editor.compare.same") : t("editor.compare.count", { n: many })}
        </p>
        <ul>
          {nodes.map(({ id, is, fields: list }) => (
            <li key={id} class={is}>
              <button type="button" class="ed-jump" onClick={() => show(editor, [id])}>
                <Icon name={icons[is]} />
                <span>
                  <b>{nodeName(editor, shown, id)}</b> <small>{t(`editor.compare.${is}`)}</small>
                </span>
              </button>
              <Fields list={list} />
            </li>
          ))}
          {edges.map(({ edge, is }) => (
            <li key={`${is}${edge.id}`} class={is}>
              <button
                type="button"
                class="ed-jump"
                onClick={() => show(editor, [edge.from, edge.to])}
              >
                <Icon name={icons[is]} />
                <span>
                  {nodeName(editor, shown, edge.from)} → {nodeName(editor, shown, edge.to)}{" "}
                  <small>{t("editor.compare.line", { port: edge.port })}</small>
                </span>
              </button>
            </li>
          ))}
          {notes.map(({ id, is }) => (
            <li key={id} class={is}>
              <span class="ed-jump">
                <Icon name={icons[is]} />
                {t("editor.note")}
              </span>
            </li>
          ))}
          {fields.length > 0 ? (
            <li class="changed">
              <span class="ed-jump">
                <Icon name={icons.changed} />
                {t("editor.compare.workflow")}
              </span>
              <Fields list={fields} />
            </li>
          ) : null}
        </ul>
        {moved.length > 0 ? (
          <p class="hint ed-count">{t("editor.compare.moved", { n: moved.length })}</p>
        ) : null}
      </div>
    </SidePanel>
  );
}

/** Which two are compared, and a way to put one of them back. */
function Sides({ shown }: { readonly shown: Comparison }) {
  const editor = useEditor();
  const { before, after } = shown;
  const id = encodeURIComponent(editor.props.workflow.id);
  const old = [after, before].find(({ id }) => id !== DRAFT && id !== NOTHING);
  return (
    <div class="ed-sides">
      <Choice
        label={t("editor.compare.before")}
        side={before}
        shown={shown}
        choose={(next) => addressOf(editor, next, after.id)}
      />
      <Choice
        label={t("editor.compare.after")}
        side={after}
        shown={shown}
        choose={(next) => addressOf(editor, before.id, next)}
      />
      {old && editor.props.user?.role !== "viewer" ? (
        <a class="btn sm" href={`/w/${id}?restore=${encodeURIComponent(old.id)}`}>
          <Icon name="history" />
          {t("editor.restore", { version: old.title })}
        </a>
      ) : null}
    </div>
  );
}

function Choice({
  label,
  side,
  shown,
  choose,
}: {
  readonly label: string;
  readonly side: Side;
  readonly shown: Comparison;
  choose(id: string): string;
}) {
  const id = useId();
  return (
    <div class="ed-field">
      <label class="lab" for={id}>
        {label}
      </label>
      <select
        id={id}
        class="sel"
        value={side.id}
        onChange={(e) => location.assign(choose(e.currentTarget.value))}
      >
        <option value={DRAFT}>{t("editor.compare.draft")}</option>
        {side.id === NOTHING || side.id.startsWith(CHECKPOINT) ? (
          <option value={side.id}>{side.title}</option>
        ) : null}
        {shown.versions.map((v) => (
          <option key={v.id} value={v.id}>
            {[t("editor.compare.version", { n: v.number }), v.by?.name, v.note]
              .filter(Boolean)
              .join(" · ")}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Fields({ list }: { readonly list: readonly FieldChange[] }) {
  if (list.length === 0) return null;
  return (
    <dl>
      {list.map(({ path, before, after }) => (
        <div key={path}>
          <dt class="mono">{path.slice(1).replaceAll("/", " › ")}</dt>
          <dd>
            <del>{short(before)}</del> <ins>{short(after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const longest = 160;

function short(value: unknown): string {
  if (value === undefined) return t("editor.compare.nothing");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** The title in the newer drawing, or in the one that still has the step. */
function nodeName(editor: Editor, { before, after }: Comparison, id: string): string {
  for (const { graph } of [after, before]) {
    const name = nameIn(editor, graph, id);
    if (name !== undefined) return name;
  }
  return id;
}

function nameIn(editor: Editor, graph: Graph, id: string): string | undefined {
  const node = graph.nodes.find((n) => n.id === id);
  if (node === undefined) return undefined;
  const place = graph.layout.nodes?.[id] ?? { x: 0, y: 0 };
  return titleOf(place, editor.spec(node.kind) ?? unknownSpec(node.kind));
}

function show(editor: Editor, ids: readonly string[]): void {
  editor.kernel.select({ nodes: ids });
  editor.kernel.reveal(ids, true);
}
