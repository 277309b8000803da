// What a form about one step is given: its values, its sample, and ways to
// change them.

import type { Sample } from "../../core/expr-complete.ts";
import type { Mode } from "../../core/expr-tokens.ts";
import { member, pointerParts } from "../../core/form-schema.ts";
import type { GraphNode } from "../../core/graph.ts";
import type { Change } from "../../core/touch.ts";
import type { FocusRequest, FormEnvironment } from "../forms/context.ts";
import { FieldRow } from "../forms/field.tsx";
import type { ExprAnswer } from "../net/api.ts";
import { shapesFor } from "../ports/store.ts";
import { typist } from "../state/company.ts";
import type { Editor } from "../state/editor.ts";
import { nameOf } from "../state/words.ts";
import { t } from "../strings.ts";

export function configEnvironment(
  editor: Editor,
  node: GraphNode,
  focusNext: FocusRequest,
): FormEnvironment {
  const label = t("editor.do.configure", { step: nameOf(editor, node.id) });
  return {
    ...common(editor, node, focusNext),
    root: "/config",
    config: node.config ?? {},
    set(pointer, value, part = "") {
      editor.commit(label, [setOp(node, pointer, value)], `${node.id}${pointer}${part}`);
    },
    setAlone(pointer, value) {
      editor.commit(label, [setOp(node, pointer, value)]);
    },
    setPorts(pointer, value, renamed) {
      const ops: Change[] = [{ op: "node.set", id: node.id, path: `/config${pointer}`, value }];
      for (const edge of editor.drawing.out(node.id)) {
        if (!renamed.has(edge.port)) continue;
        const to = renamed.get(edge.port);
        ops.push(
          to === undefined
            ? { op: "edge.del", id: edge.id }
            : { op: "edge.set", id: edge.id, path: "/port", value: to },
        );
      }
      editor.seal();
      editor.commit(label, ops);
    },
  };
}

function setOp(node: GraphNode, pointer: string, value: unknown): Change {
  const op = { op: "node.set", id: node.id, path: `/config${pointer}` } as const;
  return value === undefined ? op : { ...op, value };
}

/** Retry, timeout, task and join are set as a whole: each is one property. */
export function policyEnvironment(
  editor: Editor,
  node: GraphNode,
  focusNext: FocusRequest,
): FormEnvironment {
  const values = {
    retry: node.retry ?? {},
    timeout: node.timeout ?? {},
    task: node.task ?? {},
    max_visits: node.max_visits,
    join: node.join ?? {},
    pivot: node.pivot ?? false,
  };
  return {
    ...common(editor, node, focusNext),
    root: "",
    config: values,
    set: write,
    setAlone: write,
    setPorts: () => undefined,
  };

  function write(pointer: string, value: unknown): void {
    const [top = "", name] = pointerParts(pointer);
    const next = name === undefined ? value : withMember(member(values, top), name, value);
    const whole = wholeOf(top, next, editor.spec(node.kind)?.attempts ?? 1);
    const op: Change = {
      op: "node.set",
      id: node.id,
      path: `/${top}`,
      ...(isEmpty(whole) ? {} : { value: whole }),
    };
    editor.commit(
      t("editor.do.policy", { step: nameOf(editor, node.id) }),
      [op],
      `${node.id}/${pointer}`,
    );
  }
}

function common(
  editor: Editor,
  node: GraphNode,
  focusNext: FocusRequest,
): Omit<FormEnvironment, "root" | "config" | "set" | "setAlone" | "setPorts"> {
  const { session } = editor;
  return {
    nodeID: node.id,
    nodeKey: node.key,
    readOnly: session.readOnly.value,
    typist: (place) => typist(editor, node.id, place),
    issues: session.issues.value.filter((i) => i.node === node.id),
    credentials: session.credentials.value,
    focusNext,
    Row: FieldRow,
    sample: () => sampleFor(editor, node),
    shapes: () => shapesFor(editor, node),
    sampled: hasSample(editor, node),
    check: (source, mode, signal) => check(editor, node, source, mode, signal),
  };
}

const answers = new WeakMap<Editor, Map<string, ExprAnswer>>();
const answersMax = 500;

/** Asks the server, unless it has answered the same for the same samples. */
async function check(
  editor: Editor,
  node: GraphNode,
  source: string,
  mode: Mode,
  signal: AbortSignal,
): Promise<ExprAnswer> {
  const known = answers.get(editor) ?? new Map<string, ExprAnswer>();
  answers.set(editor, known);
  const samples = editor.session.samples.value;
  const name = JSON.stringify([
    node.key,
    mode,
    source,
    [...editor.drawing.into(node.id)].map((e) => e.from),
    samples.trigger,
  ]);
  const had = known.get(name);
  if (had) return had;
  const answer = await editor.api.checkExpr(
    {
      workflow: editor.props.workflow.id,
      node: node.key,
      source,
      mode: mode === "constant" ? "value" : mode,
    },
    signal,
  );
  if (known.size > answersMax) known.clear();
  known.set(name, answer);
  return answer;
}

/** The variables that the step would see, by the last samples. */
export function sampleFor(editor: Editor, node: GraphNode): Sample {
  const samples = editor.session.samples.value;
  const nodes: Record<string, unknown> = {};
  for (const other of editor.drawing.nodes.values()) {
    if (other.id !== node.id) nodes[other.key] = { output: outputOf(editor, other) };
  }
  const inputs = inputsOf(editor, node);
  return {
    input: inputOf(editor, node),
    inputs,
    nodes,
    trigger: samples.trigger,
    run: { id: "", workflow: editor.drawing.name, version: "", started_at: "" },
  };
}

/** Whether what the step would get has been seen, in a run or as a pin. */
function hasSample(editor: Editor, node: GraphNode): boolean {
  const { nodes, trigger } = editor.session.samples.value;
  const before = [...editor.drawing.into(node.id)];
  if (before.length === 0) return trigger !== undefined && trigger !== null;
  return before.some((edge) => {
    const key = editor.drawing.nodes.get(edge.from)?.key ?? "";
    const seen = nodes[key]?.output;
    return (
      editor.drawing.place(edge.from).pin !== undefined || (seen !== undefined && seen !== null)
    );
  });
}

export function outputOf(editor: Editor, node: GraphNode): unknown {
  return (
    editor.drawing.place(node.id).pin ??
    editor.session.samples.value.nodes[node.key]?.output ??
    editor.spec(node.kind)?.output
  );
}

export function inputsOf(editor: Editor, node: GraphNode): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const edge of editor.drawing.into(node.id)) {
    const from = editor.drawing.nodes.get(edge.from);
    if (from) inputs[from.key] = outputOf(editor, from);
  }
  return inputs;
}

export function inputOf(editor: Editor, node: GraphNode): unknown {
  const inputs = inputsOf(editor, node);
  const keys = Object.keys(inputs);
  if (keys.length === 0) return editor.session.samples.value.trigger;
  return keys.length === 1 ? inputs[keys[0] ?? ""] : inputs;
}

function withMember(object: unknown, name: string, value: unknown): Record<string, unknown> {
  const entries = Object.entries(
    typeof object === "object" && object !== null ? object : {},
  ).filter(([k]) => k !== name);
  return Object.fromEntries(value === undefined ? entries : [...entries, [name, value]]);
}

/** A policy with the member that it cannot do without. */
function wholeOf(top: string, value: unknown, attempts: number): unknown {
  if (top === "join") return wholeJoin(value);
  if (top !== "retry" || isEmpty(value)) return value;
  return member(value, "max_attempts") === undefined
    ? withMember(value, "max_attempts", attempts)
    : value;
}

/** Inclusive with nothing else is what a step without a rule does. */
function wholeJoin(value: unknown): unknown {
  const mode = member(value, "mode") ?? "inclusive";
  const whole = withMember(value, "mode", mode);
  return mode === "inclusive" && Object.keys(whole).length === 1 ? undefined : whole;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === false) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}
