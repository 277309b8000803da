// Resting on a line shows the last three events that passed along it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Point } from "../../core/geometry.ts";
import { useEditor } from "../context.ts";
import { nameOf, portName } from "../state/words.ts";
import { t } from "../strings.ts";
import { Passages } from "./passages.tsx";

/** Passing over a line is no question. */
const rest = 350;
const away = 14;

type At = { readonly edge: string; readonly screen: Point };

export function EdgePeek() {
  const editor = useEditor();
  const { kernel, session } = editor;
  const [at, setAt] = useState<At | undefined>(undefined);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = kernel.on("hover", ({ target, screen }) => {
      clearTimeout(timer);
      if (target.is !== "edge") {
        setAt(undefined);
        return;
      }
      timer = setTimeout(() => setAt({ edge: target.id, screen }), rest);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, []);
  const edge = at && editor.drawing.edges.get(at.edge);
  const hidden =
    edge === undefined ||
    session.gesture.value ||
    session.quickAdd.value !== undefined ||
    session.menu.value !== undefined ||
    session.selection.value.edges.has(edge.id);
  useLayoutEffect(() => {
    const it = box.current;
    if (hidden || !at || !it) return;
    const room = kernel.root.getBoundingClientRect();
    const x = Math.min(at.screen.x - it.offsetWidth / 2, room.width - it.offsetWidth - 8);
    const below = at.screen.y + away + it.offsetHeight < room.height - 8;
    const y = below ? at.screen.y + away : at.screen.y - away - it.offsetHeight;
    it.style.left = `${Math.max(8, Math.round(x))}px`;
    it.style.top = `${Math.round(y)}px`;
  });
  if (hidden) return null;
  return (
    <section class="ed-peek" ref={box} aria-hidden="true">
      <p>
        <b>{nameOf(editor, edge.from)}</b>
        <span>{portName(editor, edge.from, edge.port)}</span>
        <b>{nameOf(editor, edge.to)}</b>
      </p>
      {edge.label ? <p class="ed-peeklabel">{edge.label}</p> : null}
      <h3>{t("editor.passages")}</h3>
      <Passages edge={edge} plain />
    </section>
  );
}
