// How a test run is to be controlled.

import { useEffect, useState } from "preact/hooks";
import type { GraphNode } from "../../core/graph.ts";
import { language } from "../../core/strings.ts";
import { keysOf } from "../actions/test.ts";
import { useEditor } from "../context.ts";
import type { Editor } from "../state/editor.ts";
import type { TestOf } from "../state/signals.ts";
import { t } from "../strings.ts";
import type { PastRun } from "../test/past.ts";

export type Options = {
  readonly step: boolean;
  readonly virtual: boolean;
  readonly skip: boolean;
  /** Pinned outputs stand in for their steps, and recorded ones up to a step. */
  readonly pins: boolean;
};

/** What the server is told of it. */
export function testOf(
  editor: Editor,
  options: Options,
  of: TestOf,
  given: unknown,
): Readonly<Record<string, unknown>> {
  const keyOf = (id: string) => editor.drawing.nodes.get(id)?.key;
  const data = of.to === undefined ? "pinned" : "recorded";
  return {
    ...(options.virtual ? { clock: "virtual", skip_waits: options.skip } : {}),
    step: options.step,
    breakpoints: keysOf(editor, editor.session.breaks.value),
    ...(of.to === undefined ? {} : { to: keyOf(of.to) }),
    ...(of.only === undefined
      ? { data: options.pins ? data : "none" }
      : { only: keyOf(of.only), given }),
  };
}

export function TestOptions({
  of,
  options,
  set,
}: {
  readonly of: TestOf;
  readonly options: Options;
  readonly set: (more: Partial<Options>) => void;
}) {
  const editor = useEditor();
  const pinned = [...editor.drawing.nodes.keys()].filter(
    (id) => editor.drawing.place(id).pin !== undefined,
  ).length;
  const breaks = keysOf(editor, editor.session.breaks.value).length;
  return (
    <fieldset class="ed-runopts">
      <legend class="sr">{t("editor.run.options")}</legend>
      <Check is={options.step} set={(step) => set({ step })} title={t("editor.run.step")} />
      <Check
        is={options.virtual}
        set={(virtual) => set({ virtual })}
        title={t("editor.run.virtual")}
      />
      {options.virtual ? (
        <div class="sub">
          <Check is={options.skip} set={(skip) => set({ skip })} title={t("editor.run.skip")} />
        </div>
      ) : null}
      {of.only === undefined && (pinned > 0 || of.to !== undefined) ? (
        <Check
          is={options.pins}
          set={(pins) => set({ pins })}
          title={
            of.to === undefined ? t("editor.run.pins", { n: pinned }) : t("editor.run.recorded")
          }
        />
      ) : null}
      {breaks > 0 ? <p class="hint">{t("editor.run.breaks", { n: breaks })}</p> : null}
    </fieldset>
  );
}

function Check({
  is,
  set,
  title,
}: {
  readonly is: boolean;
  readonly set: (is: boolean) => void;
  readonly title: string;
}) {
  return (
    <label>
      <input type="checkbox" checked={is} onChange={(e) => set(e.currentTarget.checked)} />
      <span>{title}</span>
    </label>
  );
}

/** What the step got in an earlier run, to test it with that again. */
export function PastInputs({
  node,
  take,
  fail,
}: {
  readonly node: GraphNode;
  readonly take: (text: string) => void;
  readonly fail: (why: string | undefined) => void;
}) {
  const editor = useEditor();
  const [runs, setRuns] = useState<readonly PastRun[]>([]);
  useEffect(() => {
    void import("../test/index.ts")
      .then(({ testing }) => testing.pastRuns(editor.api.workflow))
      .then(setRuns, () => undefined); // without them the payload is typed in
  }, []);
  if (runs.length === 0) return null;
  const choose = async (run: string) => {
    if (run === "") return;
    fail(undefined);
    const { testing } = await import("../test/index.ts");
    const value = await testing.pastInput(run, node.key).catch(() => undefined);
    if (value === undefined) fail(t("editor.run.pastNone"));
    else take(JSON.stringify(value, undefined, 2));
  };
  return (
    <div class="fld">
      <label for="ed-run-past">{t("editor.run.past")}</label>
      <select id="ed-run-past" class="sel" onChange={(e) => void choose(e.currentTarget.value)}>
        <option value="">{t("editor.run.pastLast")}</option>
        {runs.map((r) => (
          <option key={r.id} value={r.id}>
            {new Date(r.created_at).toLocaleString(language())}
          </option>
        ))}
      </select>
    </div>
  );
}
