// What workers of one's own have announced, and who is there: looked at now and
// then, while the page is seen.

import type { Issue } from "../../core/graph.ts";
import type { TaskType } from "../../core/task-type.ts";
import { EXTERNAL, entryOf, unworked } from "../../core/task-type.ts";
import { iconsThere } from "../icon.tsx";
import { watchPorts } from "../ports/watch.ts";
import { t } from "../strings.ts";
import type { Editor } from "./editor.ts";

const lookEvery = 15_000;

/** Looks now, and again until the page is left. */
export async function watchWorkers(editor: Editor): Promise<void> {
  const icons = await iconsThere();
  const { session } = editor;
  let handed: readonly Issue[] = [];
  const judge = () => {
    const idle = unworked(editor.drawing.nodes.values(), session.taskTypes.value, words);
    editor.alsoIssues([...idle, ...handed]);
  };
  const portWatch = watchPorts(editor, (issues) => {
    handed = issues;
    judge();
  });
  let announced: string | undefined;
  const look = async () => {
    if (document.hidden) return;
    // A called workflow is published without a word to this page.
    if (announced !== undefined && calls(editor)) portWatch.again();
    try {
      const { types } = await editor.api.workers();
      const schemas = JSON.stringify(types.map(({ name, input, output }) => [name, input, output]));
      if (announced !== undefined && schemas !== announced) portWatch.again();
      announced = schemas;
      const base = editor.spec(EXTERNAL);
      session.taskTypes.value = types;
      session.taskEntries.value = base
        ? types.map((type) => entryOf(base, type, icons.has(type.icon) ? type.icon : base.icon))
        : [];
      judge();
    } catch {
      // The next look may find them.
    }
  };
  await look();
  session.revision.subscribe(judge);
  setInterval(() => void look(), lookEvery);
  document.addEventListener("visibilitychange", () => void look());
}

/** Whether a step calls another workflow. */
function calls(editor: Editor): boolean {
  return [...editor.drawing.nodes.values()].some((node) => editor.spec(node.kind)?.work === "call");
}

function words(type: string, known: TaskType | undefined): string {
  if (known?.seen_at === undefined) return t("editor.worker.never", { type });
  const ago = (Date.now() - Date.parse(known.seen_at)) / 60_000;
  const since = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", {
    numeric: "auto",
  });
  const when =
    ago < 60
      ? since.format(-Math.round(ago), "minute")
      : since.format(-Math.round(ago / 60), "hour");
  return t("editor.worker.gone", { type, when });
}
