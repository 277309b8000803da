// What a port takes or gives, beside the pointer that rests on it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import type { Editor } from "../state/editor.ts";
import { portName } from "../state/words.ts";
import { t } from "../strings.ts";
import { brokenBy, seenOf } from "./seen.ts";
import { ShapeList } from "./shape.tsx";
import { ports } from "./store.ts";

const rest = 300; // ms that the pointer rests
const rowsShown = 8;

/** The port, or the entry, that the pointer rests on. */
type Over = {
  readonly id: string;
  readonly port: string | undefined;
  readonly x: number;
  readonly y: number;
};

export function PortCard() {
  const editor = useEditor();
  const { kernel, session } = editor;
  const [over, setOver] = useState<Over | undefined>(undefined);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = kernel.on("hover", ({ target, screen }) => {
      clearTimeout(timer);
      setOver(undefined);
      if (target.is !== "port" && target.is !== "input") return;
      const port = target.is === "port" ? target.port : undefined;
      const next = { id: target.id, port, x: screen.x, y: screen.y };
      timer = setTimeout(() => setOver(next), rest);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  useLayoutEffect(() => {
    const el = card.current;
    if (!el || !over) return;
    const room = kernel.root.getBoundingClientRect();
    const right = over.x + 20 + el.offsetWidth < room.width;
    el.style.left = `${right ? over.x + 20 : Math.max(8, over.x - 20 - el.offsetWidth)}px`;
    el.style.top = `${Math.max(8, Math.min(room.height - el.offsetHeight - 8, over.y - 18))}px`;
  });
  if (!over || session.gesture.value || session.menu.value || session.quickAdd.value) return null;
  return (
    <div class="ed-port pop" role="tooltip" ref={card}>
      <Content editor={editor} over={over} />
    </div>
  );
}

function Content({ editor, over }: { readonly editor: Editor; readonly over: Over }) {
  const node = editor.drawing.nodes.get(over.id);
  const at = ports.value.get(over.id);
  if (!node || !at) return <p class="hint">{t("editor.shape.givesAny")}</p>;
  if (over.port === undefined) {
    const broken = brokenBy(at);
    return (
      <>
        <p class="title">{t("editor.shape.takes")}</p>
        <ShapeList
          shape={at.takes}
          any={t("editor.shape.takesAny")}
          most={rowsShown}
          label={t("editor.shape.takes")}
        />
        {broken ? <p class="ed-shape-bad">{broken}</p> : null}
      </>
    );
  }
  const title = t("editor.shape.gives", { ports: portName(editor, over.id, over.port) });
  return (
    <>
      <p class="title">{title}</p>
      <ShapeList
        shape={at.gives[over.port] ?? {}}
        sample={over.port === "failure" ? undefined : seenOf(editor, node)}
        any={t("editor.shape.givesAny")}
        most={rowsShown}
        label={title}
      />
    </>
  );
}
