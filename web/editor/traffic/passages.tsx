// What passed along a line last.

import type { Edge } from "../../core/graph.ts";
import { inShort } from "../../core/in-short.ts";
import { ago } from "../../ui/ago.ts";
import { useEditor } from "../context.ts";
import type { Passage } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";
import { passedOn } from "./data.ts";

export function passagesOf(editor: Editor, edge: Edge): readonly Passage[] {
  const key = editor.drawing.nodes.get(edge.from)?.key;
  const all = editor.session.samples.value.passed ?? [];
  return all.filter((p) => p.node === key && p.port === edge.port).slice(0, 3);
}

export function Passages({
  edge,
  plain = false,
}: {
  readonly edge: Edge;
  readonly plain?: boolean;
}) {
  const editor = useEditor();
  const list = passagesOf(editor, edge);
  const n = passedOn(editor, edge);
  if (list.length === 0 && n === undefined) return <p class="hint">{t("editor.passages.none")}</p>;
  const last = editor.session.samples.value.last;
  return (
    <ol class="ed-passages">
      {n === undefined || last === undefined ? null : (
        <li>
          {t("editor.passages.last", { n })}
          <span>{ago(Date.now() - Date.parse(last.at), new Date(last.at))}</span>
        </li>
      )}
      {list.map((p) => (
        <li key={p.run}>
          <code class="clip">{inShort(p.output, 60)}</code>
          {plain ? (
            <span>{ago(Date.now() - Date.parse(p.at), new Date(p.at))}</span>
          ) : (
            <a class="lnk" href={`/runs/${p.run}`} title={new Date(p.at).toLocaleString()}>
              {ago(Date.now() - Date.parse(p.at), new Date(p.at))}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}
