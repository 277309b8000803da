// Find on the canvas: by title, key, kind, and any text of a configuration.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { strings } from "../../core/form-schema.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { SidePanel } from "./panel.tsx";

type Hit = {
  readonly id: string;
  readonly title: string;
  readonly where: string;
  readonly tile: string;
  readonly icon: string;
};

const hitsMax = 200;

export function FindPanel() {
  const editor = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(-1);
  void editor.session.revision.value;
  const hits = find(editor, query);
  useLayoutEffect(() => input.current?.focus(), []);
  const show = (i: number) => {
    const hit = hits[i];
    if (!hit) return;
    setIndex(i);
    if (editor.drawing.notes.has(hit.id)) editor.kernel.select({ notes: [hit.id] });
    else editor.kernel.select({ nodes: [hit.id] });
    editor.kernel.reveal([hit.id], true);
    editor.say(t("editor.find.at", { n: i + 1, all: hits.length, step: hit.title }));
  };
  return (
    <SidePanel title={t("editor.find")}>
      <div class="search ed-find">
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label={t("editor.find.label")}
          placeholder={t("editor.find.placeholder")}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setIndex(-1);
          }}
          onKeyDown={(e) => {
            if (e.isComposing || hits.length === 0) return;
            if (e.key === "Enter")
              show((index + (e.shiftKey ? -1 : 1) + hits.length) % hits.length);
            else if (e.key === "ArrowDown") show(Math.min(hits.length - 1, index + 1));
            else if (e.key === "ArrowUp") show(Math.max(0, index - 1));
            else return;
            e.preventDefault();
          }}
        />
      </div>
      <p class="hint ed-count" aria-live="polite">
        {query.trim() === "" ? t("editor.find.hint") : t("editor.find.count", { n: hits.length })}
      </p>
      <ul class="ed-hits">
        {hits.map((hit, i) => (
          <li key={hit.id}>
            <button type="button" class={i === index ? "on" : undefined} onClick={() => show(i)}>
              <span class={`tile t-${hit.tile}`}>
                <Icon name={hit.icon} />
              </span>
              <span class="clip">
                <b class="clip">{hit.title}</b>
                <small class="clip">{hit.where}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}

function find(editor: Editor, query: string): Hit[] {
  const words = query.trim().toLowerCase();
  if (words === "") return [];
  const hits: Hit[] = [];
  for (const node of editor.drawing.nodes.values()) {
    const spec = specOf(editor, node);
    const title = nameOf(editor, node.id);
    const where = whereIn(
      words,
      [title, node.key, spec.title, editor.drawing.place(node.id).notes ?? ""],
      () => [...strings(spec.config, node.config)].map((s) => s.text),
    );
    if (where !== undefined)
      hits.push({
        id: node.id,
        title,
        where: where === title ? `${spec.title} · ${node.key}` : where,
        tile: spec.tile,
        icon: spec.icon,
      });
    if (hits.length >= hitsMax) break;
  }
  for (const [id, note] of editor.drawing.notes) {
    if (note.text.toLowerCase().includes(words))
      hits.push({
        id,
        title: t("editor.note"),
        where: note.text,
        tile: "logic",
        icon: "sticky-note",
      });
  }
  return hits;
}

function whereIn(
  words: string,
  names: readonly string[],
  config: () => readonly string[],
): string | undefined {
  const fits = (text: string) => text.toLowerCase().includes(words);
  return names.find(fits) ?? config().find(fits);
}
