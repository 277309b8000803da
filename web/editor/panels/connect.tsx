// Connecting by keyboard: choose a way out, then the step that it leads to.
// The edge is previewed while the arrows move.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { transactionOf } from "../../core/frame.ts";
import { COMPENSATE, type Port } from "../../core/graph.ts";
import { connect } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { ports as shapes } from "../ports/store.ts";
import { advice, brief } from "../ports/words.ts";
import type { Editor } from "../state/editor.ts";
import { nameOf, portName, portsOf, specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { around, leftOrRight, upOrDown } from "./list-keys.ts";

type Choice = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly tile: string;
  readonly icon: string;
};

export function Connect() {
  const editor = useEditor();
  const state = editor.session.connecting.value;
  if (!state || !editor.drawing.nodes.has(state.node)) return null;
  return (
    <ConnectPanel key={`${state.node}:${state.port ?? ""}`} node={state.node} port={state.port} />
  );
}

function ConnectPanel({
  node,
  port,
}: {
  readonly node: string;
  readonly port: string | undefined;
}) {
  const editor = useEditor();
  const { kernel, session } = editor;
  const list = useId();
  const panel = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const all = port === undefined ? portChoices(editor, node) : stepChoices(editor, node, port);
  const words = query.trim().toLowerCase();
  const shown = all.filter((c) => `${c.title} ${c.detail}`.toLowerCase().includes(words));
  const chosen = shown[Math.min(index, shown.length - 1)];

  const only = port === undefined && all.length === 1 ? all[0] : undefined;
  // Before the next key: it is meant for the field already.
  useLayoutEffect(() => {
    if (only) session.connecting.value = { node, port: only.id };
    else input.current?.focus({ preventScroll: true });
    return () => kernel.previewEdge(undefined);
  }, []);
  useEffect(() => {
    kernel.previewEdge(
      port !== undefined && chosen ? { from: node, port, to: chosen.id } : undefined,
    );
    if (port !== undefined && chosen) kernel.reveal([node, chosen.id], true);
  }, [chosen?.id]);
  useLayoutEffect(() => {
    const box = kernel.screenBox(node);
    const el = panel.current;
    if (!el || !box) return;
    const room = kernel.root.getBoundingClientRect();
    el.style.left = `${Math.max(12, Math.min(room.width - el.offsetWidth - 12, box.x))}px`;
    el.style.top = `${Math.max(12, Math.min(room.height - el.offsetHeight - 12, box.y + box.h + 12))}px`;
  });

  const leave = () => {
    session.connecting.value = undefined;
    kernel.focus(node);
  };
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    if (port === undefined) {
      session.connecting.value = { node, port: choice.id };
      return;
    }
    session.connecting.value = undefined;
    connect(editor, node, port, choice.id);
    kernel.focus(node);
  };
  const key = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    // To the sides the arrows walk too, while there is no text to walk in.
    const move = upOrDown(event.key) || (query === "" ? leftOrRight(event.key) : 0);
    if (move !== 0) setIndex(around(index, move, shown.length));
    else if (event.key === "Enter") take(chosen);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const title =
    port === undefined
      ? t("editor.connect.port", { step: nameOf(editor, node) })
      : t("editor.connect.step", {
          step: nameOf(editor, node),
          port: portName(editor, node, port),
        });
  return (
    <div class="ed-quick pop" role="dialog" aria-label={title} ref={panel}>
      <p class="ed-from">
        <Icon name="corner-down-right" />
        <span>{title}</span>
      </p>
      <label class="ed-q">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${chosen.id}` : undefined}
          aria-label={title}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setIndex(0);
          }}
          onKeyDown={key}
          onBlur={() => {
            if (session.connecting.value?.node === node && session.connecting.value.port === port)
              session.connecting.value = undefined;
          }}
        />
        <kbd>Esc</kbd>
      </label>
      <ul role="listbox" id={list} aria-label={title}>
        {shown.map((choice, i) => (
          <li
            key={choice.id}
            id={`${list}-${choice.id}`}
            role="option"
            aria-selected={choice === chosen}
            class={choice === chosen ? "on" : undefined}
            onPointerMove={() => i !== index && setIndex(i)}
            onPointerDown={(e) => e.preventDefault()}
            onClick={() => take(choice)}
          >
            <span class={`tile t-${choice.tile}`}>
              <Icon name={choice.icon} />
            </span>
            <span>
              <b>{choice.title}</b>
              <small>{choice.detail}</small>
            </span>
            {choice === chosen ? <kbd>↵</kbd> : null}
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <p class="ed-none">
          {t(port === undefined ? "editor.connect.noPort" : "editor.connect.noStep")}
        </p>
      ) : null}
    </div>
  );
}

function portChoices(editor: Editor, id: string): Choice[] {
  const node = editor.drawing.nodes.get(id);
  if (!node) return [];
  const spec = specOf(editor, node);
  const saga = transactionOf(editor.drawing, id) !== undefined && spec.work !== "trigger";
  const undo = { name: COMPENSATE, title: portName(editor, id, COMPENSATE), failure: true };
  const free = editor.drawing.outOf(id, COMPENSATE).length === 0;
  return [...portsOf(editor, node), ...(saga && free ? [undo] : [])].map((port) => {
    const targets = editor.drawing.outOf(id, port.name).map((e) => nameOf(editor, e.to));
    const leads =
      targets.length === 0
        ? t("editor.connect.free")
        : t("editor.connect.leadsTo", { steps: targets.join(", ") });
    const gives = shapes.value.get(id)?.gives[port.name];
    const detail = gives ? `${leads} · ${brief(gives)}` : leads;
    return {
      id: port.name,
      title: port.title,
      detail,
      tile: port.failure ? "saga" : spec.tile,
      icon: iconOf(port),
    };
  });
}

function iconOf(port: Port): string {
  if (port.name === COMPENSATE) return "undo-2";
  return port.failure ? "triangle-alert" : "corner-down-right";
}

function stepChoices(editor: Editor, node: string, port: string): Choice[] {
  return editor.kernel.targets({ node, port }).flatMap(({ id }) => {
    const target = editor.drawing.nodes.get(id);
    if (!target) return [];
    const spec = specOf(editor, target);
    return {
      id,
      title: nameOf(editor, id),
      detail: advice(editor, { node, port }, id) ?? `${spec.title} · ${target.key}`,
      tile: spec.tile,
      icon: spec.icon,
    };
  });
}
