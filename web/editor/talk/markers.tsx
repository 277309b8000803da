// Marks on the canvas, at the steps that something was said of. They lie over
// the cards and follow the camera without a new render.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import type { Thread } from "./net.ts";
import { useTalk } from "./parts.tsx";
import { t } from "./words.ts";

type Mark = { readonly comments: number; readonly unread: number };

export function Markers() {
  const editor = useEditor();
  const { session, kernel } = editor;
  const talk = useTalk();
  const layer = useRef<HTMLDivElement>(null);
  void session.revision.value;
  const marks = marksOf(editor, talk?.threads.value ?? []);
  const moving = session.gesture.value;
  useLayoutEffect(() => place(editor, layer.current));
  useEffect(() => kernel.on("camera", () => place(editor, layer.current)), []);
  useEffect(() => {
    if (!moving) return undefined;
    let asked = 0;
    const follow = () => {
      place(editor, layer.current);
      asked = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(asked);
  }, [moving]);
  if (!talk || marks.size === 0) return null;
  return (
    <div class="tk-marks" ref={layer}>
      {[...marks].map(([node, mark]) => {
        const words = wordsOf(editor, node, mark);
        // By keyboard the list leads to each, and M on a step to its own.
        return (
          <button
            type="button"
            key={node}
            tabIndex={-1}
            data-node={node}
            class={mark.unread > 0 ? "tk-mark new" : "tk-mark"}
            aria-label={words}
            title={words}
            onClick={() => talk.of(node)}
          >
            <Icon name="message-square" />
            {mark.comments}
          </button>
        );
      })}
    </div>
  );
}

/** What was said of each step and is not resolved. */
function marksOf(editor: Editor, threads: readonly Thread[]): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const thread of threads) {
    if (thread.resolved || !editor.drawing.nodes.has(thread.node)) continue;
    const { comments, unread } = marks.get(thread.node) ?? { comments: 0, unread: 0 };
    marks.set(thread.node, {
      comments: comments + thread.count,
      unread: unread + thread.unread,
    });
  }
  return marks;
}

function wordsOf(editor: Editor, node: string, mark: Mark): string {
  const text = t("talk.marker", { n: mark.comments, step: nameOf(editor, node) });
  return mark.unread > 0 ? t("talk.marker.unread", { text, n: mark.unread }) : text;
}

/** Each mark goes to the upper left corner of its card. */
function place(editor: Editor, layer: HTMLElement | null): void {
  for (const mark of layer?.children ?? []) {
    if (!(mark instanceof HTMLElement)) continue;
    const box = editor.kernel.screenBox(mark.dataset["node"] ?? "");
    mark.hidden = box === undefined;
    if (box)
      mark.style.transform = `translate(${Math.round(box.x - 8)}px,${Math.round(box.y - 20)}px)`;
  }
}
