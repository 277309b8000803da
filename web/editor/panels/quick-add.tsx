// Quick add: a list of steps that fit, opened where the step is wanted. The
// first hit is previewed on the canvas.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Point } from "../../core/geometry.ts";
import type { Spec } from "../../core/graph.ts";
import { addEntry, recentKinds } from "../actions/add.ts";
import { kindDragType, openInspector } from "../actions/bind.ts";
import { outside } from "../actions/copies.ts";
import { entriesOf } from "../actions/entries.ts";
import { replaceKind } from "../actions/replace.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { firstSentence } from "../shell/empty.tsx";
import { Picture } from "../snippets/picture.tsx";
import { loadSnippets, snippetOf } from "../snippets/snippets.ts";
import type { Editor } from "../state/editor.ts";
import type { QuickAdd as Wanted } from "../state/signals.ts";
import { nameOf, portName, portsOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { around, upOrDown } from "./list-keys.ts";
import type { Hit, RankContext } from "./rank.ts";
import { rank } from "./rank.ts";

export function QuickAdd() {
  const { session } = useEditor();
  const wanted = session.quickAdd.value;
  return wanted ? <QuickAddPanel key={JSON.stringify(wanted)} wanted={wanted} /> : null;
}

function QuickAddPanel({ wanted }: { readonly wanted: Wanted }) {
  const editor = useEditor();
  const { kernel, session } = editor;
  const list = useId();
  const panel = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const [details, setDetails] = useState(false);
  const [brought, setBrought] = useState<string | undefined>(undefined);
  const hits = useMemo(
    () => rank(offered(editor, wanted), query, contextOf(editor, wanted)),
    [query, session.revision.value, session.taskEntries.value, session.snippets.value],
  );
  const chosen = hits[Math.min(index, hits.length - 1)];

  const snippet = chosen && snippetOf(editor, chosen.spec.name);

  useEffect(() => void loadSnippets(editor), []);
  // Before the next key: it is meant for the field already.
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true });
    return () => kernel.dropPreview();
  }, []);
  useEffect(() => preview(editor, chosen, wanted), [chosen?.spec.name]);
  useLayoutEffect(() => {
    if (panel.current) place(editor, panel.current, wanted, chosen);
  });
  useEffect(() => {
    document.getElementById(`${list}-${index}`)?.scrollIntoView({ block: "nearest" });
  }, [index, query]);

  const close = () => {
    session.quickAdd.value = undefined;
    kernel.dropPreview();
    kernel.focusCanvas();
  };
  const take = (hit: Hit | undefined, keepOpen: boolean) => {
    if (!hit) return;
    if (wanted.replace !== undefined) {
      session.quickAdd.value = undefined;
      replaceKind(editor, wanted.replace, hit.spec);
      openInspector(editor);
      return;
    }
    const id = addEntry(editor, hit.spec, wanted);
    if (id === undefined) return;
    session.quickAdd.value = undefined;
    if (keepOpen) session.quickAdd.value = followOn(editor, id);
    else if (Object.keys(hit.spec.config.properties ?? {}).length > 0 || !session.inspector.value)
      openInspector(editor);
    else kernel.focus(id);
  };
  /** Text from elsewhere is offered, not searched for. */
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (wanted.replace !== undefined || !/^\s*(?:curl\s|[{[<])/.test(text)) return;
    event.preventDefault();
    event.stopPropagation();
    setBrought(text);
    kernel.dropPreview();
  };
  const bring = (text: string) => {
    close();
    const at = wanted.at ?? kernel.center();
    void outside((m) => m.pasteText(editor, text, { at, keepLinks: false, step: wanted }));
  };
  const key = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (brought !== undefined && (event.key === "Enter" || event.key === "Backspace")) {
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Enter") bring(brought);
      else setBrought(undefined);
      return;
    }
    const move = upOrDown(event.key);
    if (move !== 0) setIndex(around(index, move, hits.length));
    else if (event.key === "ArrowRight" && input.current?.selectionStart === query.length)
      setDetails(true);
    else if (event.key === "ArrowLeft" && details) setDetails(false);
    else if (event.key === "Enter") take(chosen, event.shiftKey);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="ed-quick pop"
      role="dialog"
      aria-label={originWords(editor, wanted)}
      ref={panel}
      onFocusOut={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !panel.current?.contains(to)) session.quickAdd.value = undefined;
      }}
    >
      <Origin wanted={wanted} />
      <label class="ed-q">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${hits.indexOf(chosen)}` : undefined}
          aria-label={t("editor.quick.search")}
          placeholder={t("editor.quick.placeholder")}
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setIndex(0);
          }}
          onKeyDown={key}
          onPaste={paste}
        />
        <kbd>Esc</kbd>
      </label>
      {brought === undefined ? null : (
        <button type="button" class="ed-bring" onClick={() => bring(brought)}>
          <span class="tile t-data">
            <Icon name="upload" />
          </span>
          <span>
            <b>{t("editor.quick.import")}</b>
            <small>{brought.trim().slice(0, 80)}</small>
          </span>
          <kbd>↵</kbd>
        </button>
      )}
      <ul
        role="listbox"
        id={list}
        hidden={brought !== undefined}
        aria-label={t("editor.quick.list")}
      >
        {hits.map((hit, i) => (
          <li
            key={hit.spec.name}
            id={`${list}-${i}`}
            role="option"
            aria-selected={hit === chosen}
            class={rowClass(hit === chosen, details)}
            draggable
            onDragStart={(e) => e.dataTransfer?.setData(kindDragType, hit.spec.name)}
            onPointerMove={() => i !== index && setIndex(i)}
            onClick={(e) => take(hit, e.shiftKey)}
          >
            <span class={`tile t-${hit.spec.tile}`}>
              <Icon name={hit.spec.icon} />
            </span>
            <span>
              <b>
                <Marked text={hit.spec.title} mark={hit.mark} />
              </b>
              <small>
                {details && hit === chosen ? hit.spec.help : firstSentence(hit.spec.help)}
              </small>
            </span>
            {hit === chosen ? <kbd>↵</kbd> : null}
          </li>
        ))}
      </ul>
      {snippet ? <Picture id={snippet.id} /> : null}
      {hits.length === 0 ? <p class="ed-none">{t("editor.quick.none", { query })}</p> : null}
      <p class="ed-hints" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t("editor.quick.choose")}
        </span>
        <span>
          <kbd>→</kbd> {t("editor.quick.details")}
        </span>
        <span>
          <kbd>⇧↵</kbd> {t("editor.quick.keepOpen")}
        </span>
      </p>
    </div>
  );
}

function rowClass(on: boolean, details: boolean): string | undefined {
  if (!on) return undefined;
  return details ? "on more" : "on";
}

function Marked({ text, mark }: { readonly text: string; readonly mark: Hit["mark"] }) {
  if (!mark) return <>{text}</>;
  return (
    <>
      {text.slice(0, mark[0])}
      <mark>{text.slice(mark[0], mark[1])}</mark>
      {text.slice(mark[1])}
    </>
  );
}

function Origin({ wanted }: { readonly wanted: Wanted }) {
  const editor = useEditor();
  if (wanted.from) {
    return (
      <p class="ed-from">
        <Icon name="corner-down-right" />
        <span>
          {t("editor.quick.after")} <b>{nameOf(editor, wanted.from.node)}</b>
          {" · "}
          <b class="port">{portName(editor, wanted.from.node, wanted.from.port)}</b>
        </span>
      </p>
    );
  }
  return (
    <p class="ed-from">
      <Icon name="corner-down-right" />
      <span>{originWords(editor, wanted)}</span>
    </p>
  );
}

function originWords(editor: Editor, wanted: Wanted): string {
  if (wanted.from)
    return t("editor.quick.afterPort", {
      step: nameOf(editor, wanted.from.node),
      port: portName(editor, wanted.from.node, wanted.from.port),
    });
  if (wanted.replace !== undefined)
    return t("editor.quick.replace", { step: nameOf(editor, wanted.replace) });
  if (wanted.to !== undefined) return t("editor.quick.before", { step: nameOf(editor, wanted.to) });
  const edge = wanted.edge === undefined ? undefined : editor.drawing.edges.get(wanted.edge);
  if (edge)
    return t("editor.quick.between", {
      from: nameOf(editor, edge.from),
      to: nameOf(editor, edge.to),
    });
  return t("editor.quick.title");
}

/** Kinds, and behind them what workers do and snippets; a step is replaced by a kind only. */
function offered(editor: Editor, wanted: Wanted): readonly Spec[] {
  const { specs } = editor.session;
  return wanted.replace === undefined ? [...specs.value, ...entriesOf(editor)] : specs.value;
}

function contextOf(editor: Editor, wanted: Wanted): RankContext {
  const { drawing } = editor;
  const old = wanted.replace;
  if (old !== undefined) return replacing(editor, old);
  const edge = wanted.edge === undefined ? undefined : drawing.edges.get(wanted.edge);
  const from = wanted.from?.node ?? edge?.from;
  const present = new Set([...drawing.nodes.values()].map((n) => n.kind));
  return {
    after: from === undefined ? undefined : drawing.nodes.get(from)?.kind,
    needsInput: from !== undefined,
    needsOutput: wanted.to !== undefined || edge !== undefined,
    triggersOnly: wanted.triggers ?? drawing.nodes.size === 0,
    started: [...present].some((kind) => editor.spec(kind)?.work === "trigger"),
    recent: recentKinds(),
    taken: new Set(
      editor.session.specs.value.filter((s) => s.unique && present.has(s.name)).map((s) => s.name),
    ),
  };
}

/** A step that others lead to needs an entry, one that leads on a way out. */
function replacing(editor: Editor, id: string): RankContext {
  const { drawing, session } = editor;
  const kind = drawing.nodes.get(id)?.kind;
  const trigger = editor.spec(kind ?? "")?.work === "trigger";
  const held = drawing.held(id).size > 0;
  const present = new Set([...drawing.nodes.values()].map((n) => n.kind));
  const unfit = session.specs.value.filter(
    (s) =>
      s.name === kind ||
      (s.unique && present.has(s.name)) ||
      (s.container === true) !== held ||
      (s.work === "trigger") !== trigger,
  );
  return {
    after: undefined,
    needsInput: !trigger,
    needsOutput: [...drawing.out(id)].length > 0,
    triggersOnly: trigger,
    started: !trigger,
    recent: recentKinds(),
    taken: new Set(unfit.map((s) => s.name)),
  };
}

/** After the step that was just placed, on its first way out. */
function followOn(editor: Editor, id: string): Wanted | undefined {
  const node = editor.drawing.nodes.get(id);
  const port = node && portsOf(editor, node).find((p) => !p.failure);
  return port ? { from: { node: id, port: port.name } } : undefined;
}

function preview(editor: Editor, hit: Hit | undefined, wanted: Wanted): void {
  if (!hit || wanted.replace !== undefined) {
    editor.kernel.setGhost(undefined);
    return;
  }
  const at = editor.kernel.placeFor(hit.spec, {
    from: wanted.from,
    edge: wanted.edge,
    at: wanted.at,
    within: wanted.within,
  });
  editor.kernel.setGhost({ spec: hit.spec, at, from: wanted.from, edge: wanted.edge });
}

const margin = 12;

/** Near the ghost, never over it, and never beyond the edge of the canvas. */
function place(editor: Editor, panel: HTMLElement, wanted: Wanted, hit: Hit | undefined): void {
  const room = editor.kernel.root.getBoundingClientRect();
  const ghost = placeOf(editor, wanted, hit);
  const at = editor.kernel.toScreen(ghost);
  const z = editor.kernel.camera.z;
  const { x, y } = beside(
    at,
    { w: 210 * z, h: 70 * z },
    { w: panel.offsetWidth, h: panel.offsetHeight },
    { w: room.width, h: room.height },
  );
  panel.style.left = `${Math.round(x)}px`;
  panel.style.top = `${Math.round(y)}px`;
}

/** Where the new step would lie. */
function placeOf(editor: Editor, wanted: Wanted, hit: Hit | undefined): Point {
  const { from, edge, at, within, replace } = wanted;
  const old = replace === undefined ? undefined : editor.kernel.worldBox(replace);
  if (old !== undefined) return old;
  return hit
    ? editor.kernel.placeFor(hit.spec, { from, edge, at, within })
    : (at ?? editor.kernel.center());
}

type Size = { readonly w: number; readonly h: number };

function beside(at: Point, ghost: Size, panel: Size, room: Size): Point {
  const clampX = (x: number) => Math.max(margin, Math.min(room.w - panel.w - margin, x));
  const clampY = (y: number) => Math.max(margin, Math.min(room.h - panel.h - margin, y));
  const below = at.y + ghost.h + margin;
  if (below + panel.h < room.h - margin) return { x: clampX(at.x), y: below };
  const right = at.x + ghost.w + margin;
  if (right + panel.w < room.w - margin) return { x: right, y: clampY(at.y - 60) };
  const left = at.x - panel.w - margin;
  if (left > margin) return { x: left, y: clampY(at.y - 60) };
  return { x: clampX(at.x), y: clampY(at.y - panel.h - margin) };
}
