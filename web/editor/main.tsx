// The editor's start: the page gives the workflow, the canvas goes up at
// once, the drawing follows.

import { render } from "preact";
import { Kernel } from "../kernel/kernel.ts";
import { EditorProvider } from "./context.ts";
import "./editor.css";
import { App } from "./shell/app.tsx";
import { watchWidth } from "./shell/width.ts";
import type { EditorProps } from "./state/editor.ts";
import { Editor } from "./state/editor.ts";

function start(): void {
  const mount = document.getElementById("editor");
  const props = document.getElementById("props")?.textContent;
  if (!mount || !props) return;
  const actions = import("./actions/bind.ts");
  const host = document.createElement("div");
  host.className = "ed-kernel";
  document.body.append(host); // the kernel reads colors and sizes from the page; the app moves it to its place
  const still = document.documentElement.dataset["motion"] === "less" ? true : undefined;
  const asked = new URLSearchParams(location.search);
  const editor = new Editor(
    {
      ...(JSON.parse(props) as EditorProps),
      compare: asked.get("compare") ?? undefined,
      restore: asked.get("restore") ?? undefined,
    },
    new Kernel({ host, still }),
  );
  mount.replaceChildren();
  render(
    <EditorProvider value={editor}>
      <App host={host} />
    </EditorProvider>,
    mount,
  );
  watchWidth(editor);
  // The canvas has its place, and so its size, after the first frame.
  requestAnimationFrame(() => requestAnimationFrame(() => void go(editor, actions)));
}

/** What gestures do has to be there before the drawing is. */
async function go(
  editor: Editor,
  actions: Promise<typeof import("./actions/bind.ts")>,
): Promise<void> {
  (await actions).bindCanvas(editor);
  await editor.start();
  showAsked(editor);
}

/** The step that the address names is chosen. */
function showAsked(editor: Editor): void {
  const key = new URLSearchParams(location.hash.slice(1)).get("step");
  const step = [...editor.drawing.nodes.values()].find((n) => n.key === key);
  if (step === undefined) return;
  editor.kernel.select({ nodes: [step.id] });
  editor.kernel.reveal([step.id], false);
}

start();
