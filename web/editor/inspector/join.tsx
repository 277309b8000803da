// When a step starts that several ways lead to: a picture and a sentence for
// each rule, and what belongs to the one that is chosen.

import { useId, useMemo, useRef } from "preact/hooks";
import type { Schema } from "../../core/form-schema.ts";
import { COMPENSATE, type GraphNode, type JoinMode } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import type { FocusRequest } from "../forms/context.ts";
import { FormProvider } from "../forms/context.ts";
import { Fields } from "../forms/section.tsx";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { policyEnvironment } from "./environment.ts";

const modes: readonly JoinMode[] = ["inclusive", "each", "all", "n", "first"];

export function JoinField({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const id = useId();
  const focusNext = useRef<FocusRequest["current"]>(undefined) as FocusRequest;
  const ways = [...editor.drawing.into(node.id)].filter((e) => e.port !== COMPENSATE).length;
  const mode = node.join?.mode ?? "inclusive";
  const schema = useMemo(() => joinSchema(mode, ways), [mode, ways]);
  if (ways < 2 && node.join === undefined) return null;
  const choose = (next: JoinMode) => {
    const { mode: _, n, then, ...rest } = node.join ?? { mode: next };
    const value = {
      mode: next,
      ...(next === "n" ? { n: n ?? Math.min(2, ways) } : {}),
      ...(then !== undefined && (next === "n" || next === "first") ? { then } : {}),
      ...(next === "each" ? {} : rest),
    };
    const plain = next === "inclusive" && Object.keys(value).length === 1;
    editor.commit(t("editor.do.join", { step: nameOf(editor, node.id) }), [
      { op: "node.set", id: node.id, path: "/join", ...(plain ? {} : { value }) },
    ]);
  };
  return (
    <fieldset class="ed-section ed-join" data-field="/join">
      <legend class="lab">{t("editor.join")}</legend>
      <div class="ed-joins">
        {modes.map((name) => (
          <label key={name} class="ed-joinmode">
            <input
              type="radio"
              name={id}
              value={name}
              checked={mode === name}
              disabled={editor.session.readOnly.value}
              onChange={() => choose(name)}
            />
            <JoinPicture mode={name} />
            <span>
              <b>{t(`editor.join.${name}`)}</b>
              <small>{t(`editor.join.${name}.help`)}</small>
            </span>
          </label>
        ))}
      </div>
      <FormProvider value={policyEnvironment(editor, node, focusNext)}>
        <Fields schema={schema} value={node.join ?? {}} base="/join" />
      </FormProvider>
    </fieldset>
  );
}

/** Which of three ways have arrived when the step starts, and how often it does. */
const arrived: Readonly<Record<JoinMode, readonly boolean[]>> = {
  inclusive: [true, true, false],
  each: [true, true, true],
  all: [true, true, true],
  n: [true, true, false],
  first: [true, false, false],
};

function JoinPicture({ mode }: { readonly mode: JoinMode }) {
  const ways = arrived[mode];
  const outs = mode === "each" ? [7, 16, 25] : [16];
  return (
    <svg class="ed-joinpic" viewBox="0 0 56 32" aria-hidden="true">
      {ways.map((here, i) => {
        const y = 7 + i * 9;
        // A way that nothing can come by any more is faint: nobody waits for it.
        const name = !here && mode === "inclusive" ? "way off" : "way";
        return (
          <g key={y}>
            <path class={name} d={`M6 ${y}C18 ${y} 18 16 26 16`} />
            <circle class={here ? "tok" : "tok no"} cx="6" cy={y} r="3" />
          </g>
        );
      })}
      <rect class="box" x="26" y="10" width="12" height="12" rx="3" />
      {outs.map((y) => (
        <path key={y} class="way" d={`M38 16C44 16 44 ${y} 51 ${y}m-3 -2.5l3 2.5-3 2.5`} />
      ))}
    </svg>
  );
}

function joinSchema(mode: JoinMode, ways: number): Schema {
  if (mode === "each") return { type: "object", properties: {} };
  const some = mode === "n" || mode === "first";
  return {
    type: "object",
    properties: {
      ...(mode === "n" ? { n: count(ways) } : {}),
      // biome-ignore lint/suspicious/noThenProperty: the field's name in the file
      ...(some ? { then: rest() } : {}),
      deadline: {
        type: "string",
        title: t("editor.join.deadline"),
        description: t("editor.join.deadlineHelp"),
        "x-ui": "duration",
        "x-placeholder": "5m",
        "x-constant": true,
      },
      ...combine(),
    },
  };
}

function count(ways: number): Schema {
  return {
    type: "integer",
    title: t("editor.join.count", { n: ways }),
    minimum: 1,
    maximum: Math.max(1, ways),
    default: 2,
    "x-constant": true,
  };
}

function rest(): Schema {
  return {
    type: "string",
    title: t("editor.join.then"),
    description: t("editor.join.thenHelp"),
    enum: ["absorb", "cancel"],
    "x-enum-titles": [t("editor.join.absorb"), t("editor.join.cancel")],
    default: "absorb",
    "x-constant": true,
  };
}

function combine(): Readonly<Record<string, Schema>> {
  return {
    combine: {
      type: "string",
      title: t("editor.join.combine"),
      description: t("editor.join.combineHelp"),
      enum: ["object", "append", "zip", "merge", "reduce"],
      "x-enum-titles": [
        t("editor.join.object"),
        t("editor.join.append"),
        t("editor.join.zip"),
        t("editor.join.merge"),
        t("editor.join.reduce"),
      ],
      default: "object",
      "x-constant": true,
    },
    key: {
      type: "string",
      title: t("editor.join.key"),
      "x-placeholder": "id",
      "x-constant": true,
      "x-showIf": "combine=merge",
    },
    reduce: {
      type: "string",
      title: t("editor.join.reduceBy"),
      description: t("editor.join.reduceHelp"),
      "x-ui": "expr",
      "x-placeholder": "acc + item.total",
      "x-showIf": "combine=reduce",
    },
    start: {
      type: "string",
      title: t("editor.join.start"),
      "x-ui": "expr",
      "x-placeholder": "0",
      "x-showIf": "combine=reduce",
    },
  };
}
