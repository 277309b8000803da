// A counter-example played on the canvas: tokens run the way that a run would
// have to take to get stuck, and every choice on it is named.

import { useEffect, useState } from "preact/hooks";
import { momentAfter } from "../../core/replay.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { Editor } from "../state/editor.ts";
import { nameOf, portName } from "../state/words.ts";
import { t } from "../strings.ts";

/** Between two choices while it plays. */
const PACE = 1_100;

export function Example() {
  const editor = useEditor();
  const { session } = editor;
  const shown = session.example.value;
  const steps = shown?.issue.example ?? [];
  const index = shown?.step ?? 0;
  const last = index >= steps.length - 1;
  const [plays, setPlays] = useState(!still());
  useEffect(() => (shown ? show(editor, shown.issue, index) : undefined), [shown]);
  useEffect(() => () => editor.kernel.clearStatus(), []);
  const go = (step: number) => {
    if (shown) session.example.value = { issue: shown.issue, step };
  };
  useEffect(() => {
    if (!plays) return undefined;
    if (last) {
      setPlays(false);
      return undefined;
    }
    const timer = setTimeout(() => go(index + 1), PACE);
    return () => clearTimeout(timer);
  }, [plays, index]);
  if (!shown) return null;
  const by = (step: number) => {
    setPlays(false);
    go(step);
  };
  return (
    <section class="ed-example pop" aria-label={t("editor.example")}>
      <header>
        <b>{t("editor.example")}</b>
        <button
          type="button"
          class="btn sm ghost sq"
          aria-label={t("editor.close")}
          title={t("editor.close")}
          onClick={() => (session.example.value = undefined)}
        >
          <Icon name="x" />
        </button>
      </header>
      <ol>
        {steps.map(({ node, port }, i) => (
          <li key={i} class={i > index ? "ahead" : undefined}>
            <button
              type="button"
              aria-current={i === index ? "step" : undefined}
              onClick={() => by(i)}
            >
              {t("editor.example.takes", {
                step: nameOf(editor, node),
                port: portName(editor, node, port),
              })}
            </button>
          </li>
        ))}
      </ol>
      {last ? (
        <p class="ed-examplewhy" role="status">
          {shown.issue.message}
        </p>
      ) : null}
      <div class="row">
        <button type="button" class="btn sm" disabled={index === 0} onClick={() => by(index - 1)}>
          <Icon name="chevron-left" />
          {t("editor.example.back")}
        </button>
        <button
          type="button"
          class="btn sm"
          onClick={() => {
            if (last) go(0);
            setPlays(!plays);
          }}
        >
          <Icon name={plays ? "pause" : "play"} />
          {t(plays ? "editor.example.pause" : "editor.example.play")}
        </button>
        <button type="button" class="btn sm" disabled={last} onClick={() => by(index + 1)}>
          {t("editor.example.next")}
          <Icon name="chevron-right" />
        </button>
        <span class="hint">{t("editor.example.step", { n: index + 1, all: steps.length })}</span>
      </div>
    </section>
  );
}

/** Who wants no movement steps by hand. */
function still(): boolean {
  const less = document.documentElement.dataset["motion"] === "less";
  return less || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

type Shown = NonNullable<Editor["session"]["example"]["value"]>;

/** Puts the canvas into the state after the choice, its tokens on their way. */
function show(editor: Editor, issue: Shown["issue"], index: number): void {
  const { kernel, drawing } = editor;
  const steps = issue.example ?? [];
  const { tokens, taken, done, moved } = momentAfter(drawing, steps, index + 1);
  kernel.clearStatus();
  for (const id of done) kernel.setStatus(id, "done");
  for (const id of taken) kernel.setEdge(id, "taken");
  for (const [id, n] of tokens) kernel.setTokens(id, n);
  const here = steps[index];
  for (const edge of moved) {
    kernel.setEdge(edge.id, "active");
    kernel.setLabel(edge.id, portName(editor, edge.from, edge.port));
    kernel.drop(edge.id);
  }
  const stuck = index === steps.length - 1 ? issue.node : undefined;
  if (stuck !== undefined) kernel.setStatus(stuck, "failed");
  else for (const edge of moved) if (!done.has(edge.to)) kernel.setStatus(edge.to, "waiting");
  kernel.reveal(
    [here?.node, ...moved.map((e) => e.to), stuck].filter((id) => id !== undefined),
    true,
  );
}
