// How statuses look: a color, a glyph and a word, never one alone.

import type { NodeStatus } from "../core/run-node.ts";
import { t } from "../core/strings.ts";
import { Icon, Ring } from "./icon.tsx";

/** The class of a step's status. */
export function toneOfNode(status: NodeStatus): string {
  switch (status) {
    case "running":
      return "run";
    case "done":
      return "ok";
    case "failed":
      return "fail";
    case "waiting":
      return "wait";
    case "queued":
      return "queue";
    case "canceled":
      return "cancel";
    case "skipped":
      return "skip";
    case "undoing":
    case "undone":
      return "comp";
    case "idle":
      return "";
  }
}

function glyphOf(status: NodeStatus): string {
  switch (status) {
    case "done":
      return "check";
    case "failed":
      return "x";
    case "waiting":
      return "clock";
    case "queued":
      return "ellipsis";
    case "canceled":
      return "square";
    case "undoing":
    case "undone":
      return "undo-2";
    default:
      return "minus";
  }
}

/** The small disc with the glyph of a step's status. */
export function NodeGlyph({ status }: { readonly status: NodeStatus }) {
  if (status === "running") return <Ring small />;
  const tone = status === "queued" || status === "canceled" ? "skip" : toneOfNode(status);
  return (
    <span class={`st sm ${tone === "" ? "skip" : tone}`}>
      <Icon name={glyphOf(status)} />
    </span>
  );
}

function toneOfRun(status: string): string {
  switch (status) {
    case "running":
      return "run";
    case "waiting":
    case "paused":
      return "wait";
    case "succeeded":
      return "ok";
    case "failed":
    case "needs_attention":
      return "fail";
    case "compensating":
    case "compensated":
      return "comp";
    default:
      return "skip";
  }
}

const RUN_GLYPHS: Readonly<Record<string, string>> = {
  waiting: "clock",
  succeeded: "check",
  failed: "x",
  paused: "pause",
  compensating: "undo-2",
  compensated: "undo-2",
  needs_attention: "octagon-x",
};

/** The chip with a run's status. */
export function RunChip({ status }: { readonly status: string }) {
  return (
    <span class={`chip ${toneOfRun(status)}`}>
      {status === "running" ? <Ring /> : <Icon name={RUN_GLYPHS[status] ?? "square"} />}
      {t(`status.${status}`)}
    </span>
  );
}
