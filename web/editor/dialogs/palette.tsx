// The command palette: every command, every step to go to, every kind to add.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Command } from "../../core/keymap.ts";
import { addStep } from "../actions/add.ts";
import { runCommand } from "../actions/command.ts";
import { outside } from "../actions/copies.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { keyOf } from "../shell/keys.ts";
import { openPublish } from "../shell/publish.ts";
import type { Editor } from "../state/editor.ts";
import { nameOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

type Entry = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly icon: string;
  readonly key?: string | undefined;
  run(): void;
};

const commands: readonly (readonly [Command, string])[] = [
  ["add", "square-plus"],
  ["connect", "spline"],
  ["note", "sticky-note"],
  ["comment", "message-square"],
  ["tidy", "align-horizontal-distribute-center"],
  ["group", "group"],
  ["ungroup", "ungroup"],
  ["fold", "chevrons-down-up"],
  ["undo", "undo-2"],
  ["redo", "redo-2"],
  ["testRun", "play"],
  ["runToHere", "step-forward"],
  ["breakpoint", "circle-pause"],
  ["find", "search"],
  ["outline", "list-tree"],
  ["inspector", "panel-right"],
  ["fitAll", "maximize"],
  ["fitSelection", "scan"],
  ["zoomActual", "maximize"],
  ["selectAll", "group"],
  ["selectDownstream", "arrow-right"],
  ["selectUpstream", "arrow-left"],
  ["duplicate", "copy"],
  ["disable", "power-off"],
  ["pin", "pin"],
  ["help", "keyboard"],
];

const shownMax = 60;

export function Palette() {
  const editor = useEditor();
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = entries(editor)
    .filter((e) => words.every((w) => `${e.title} ${e.detail}`.toLowerCase().includes(w)))
    .slice(0, shownMax);
  const chosen = shown[Math.min(index, shown.length - 1)];
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => {
    document.getElementById(`${list}-${index}`)?.scrollIntoView({ block: "nearest" });
  }, [index]);
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    editor.session.dialog.value = undefined;
    // The dialog gives the focus back first; then the command may take it.
    setTimeout(() => entry.run(), 0);
  };
  return (
    <Modal title={t("editor.palette")} bare>
      <div class="ed-palette">
        <label class="ed-q">
          <Icon name="search" />
          <input
            ref={input}
            role="combobox"
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={chosen ? `${list}-${shown.indexOf(chosen)}` : undefined}
            aria-label={t("editor.palette")}
            placeholder={t("editor.palette.placeholder")}
            autocomplete="off"
            spellcheck={false}
            value={query}
            onInput={(e) => {
              setQuery(e.currentTarget.value);
              setIndex(0);
            }}
            onKeyDown={(e) => {
              if (e.isComposing) return;
              if (e.key === "ArrowDown") setIndex((index + 1) % Math.max(1, shown.length));
              else if (e.key === "ArrowUp")
                setIndex((index - 1 + shown.length) % Math.max(1, shown.length));
              else if (e.key === "Enter") take(chosen);
              else return;
              e.preventDefault();
            }}
          />
          <kbd>Esc</kbd>
        </label>
        <ul role="listbox" id={list} aria-label={t("editor.palette")}>
          {shown.map((entry, i) => (
            <li
              key={entry.id}
              id={`${list}-${i}`}
              role="option"
              aria-selected={entry === chosen}
              class={entry === chosen ? "on" : undefined}
              onPointerMove={() => i !== index && setIndex(i)}
              onClick={() => take(entry)}
            >
              <Icon name={entry.icon} />
              <span class="clip">
                <b>{entry.title}</b> <small>{entry.detail}</small>
              </span>
              {entry.key ? <kbd>{entry.key}</kbd> : null}
            </li>
          ))}
        </ul>
        {shown.length === 0 ? <p class="ed-none">{t("editor.palette.none")}</p> : null}
      </div>
    </Modal>
  );
}

function entries(editor: Editor): Entry[] {
  const { session, kernel } = editor;
  const found: Entry[] = commands.map(([command, icon]) => ({
    id: `c:${command}`,
    title: t(`editor.command.${command}` as "editor.command.add"),
    detail: "",
    icon,
    key: keyOf(command),
    run: () => runCommand(editor, command),
  }));
  found.push(
    {
      id: "publish",
      title: t("editor.palette.publish"),
      detail: "",
      icon: "upload",
      run: () => openPublish(editor),
    },
    {
      id: "import",
      title: t("editor.palette.import"),
      detail: "",
      icon: "upload",
      run: () => void outside((m) => m.importFile(editor)),
    },
    {
      id: "describe",
      title: t("editor.palette.describe"),
      detail: "",
      icon: "sparkles",
      run: () => (session.dialog.value = "describe"),
    },
    {
      id: "snippets",
      title: t("editor.palette.snippets"),
      detail: "",
      icon: "blocks",
      run: () => (session.dialog.value = "snippets"),
    },
    {
      id: "share",
      title: t("editor.share"),
      detail: "",
      icon: "share-2",
      run: () => (session.dialog.value = "share"),
    },
    {
      id: "problems",
      title: t("editor.problems"),
      detail: "",
      icon: "shield-alert",
      run: () => (session.panel.value = "problems"),
    },
    {
      id: "rename",
      title: t("editor.do.renameWorkflow"),
      detail: "",
      icon: "pencil",
      run: () => (session.renaming.value = true),
    },
  );
  for (const node of editor.drawing.nodes.values()) {
    const spec = specOf(editor, node);
    found.push({
      id: `n:${node.id}`,
      title: nameOf(editor, node.id),
      detail: t("editor.palette.goTo", { kind: spec.title }),
      icon: spec.icon,
      run: () => {
        kernel.select({ nodes: [node.id] });
        kernel.focus(node.id);
        kernel.reveal([node.id], true);
      },
    });
  }
  if (session.readOnly.value) return found;
  for (const spec of session.specs.value) {
    found.push({
      id: `k:${spec.name}`,
      title: t("editor.do.add", { step: spec.title }),
      detail: "",
      icon: spec.icon,
      run: () => void addStep(editor, spec, {}),
    });
  }
  return found;
}
