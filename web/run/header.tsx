// The top bar of a run: what it is, how it stands, what can be done.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { shortId, ticking, took } from "../core/run-time.ts";
import { language, t } from "../core/strings.ts";
import { Hold } from "./acts.tsx";
import { RetryButton } from "./fork.tsx";
import { Icon } from "./icon.tsx";
import { Late } from "./late.tsx";
import { at, call, message } from "./net.ts";
import type { PageRun } from "./props.ts";
import { RunChip } from "./status.tsx";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

export function Header({
  store,
  run,
  role,
}: {
  readonly store: RunStore;
  readonly run: PageRun;
  readonly role: string;
}) {
  const asks = useSignal<"cancel" | "share" | "compare" | "case" | undefined>(undefined);
  const close = () => {
    asks.value = undefined;
  };
  const subject = useMemo(
    () => ({
      target: "run" as const,
      id: run.id,
      name: `${run.workflow.name} · ${shortId(run.id)}`,
    }),
    [run],
  );
  return (
    <>
      <Bar store={store} run={run} role={role} ask={(what) => (asks.value = what)} />
      {asks.value === "cancel" ? <Late load={cancelDialog} with={{ run, close }} /> : undefined}
      {asks.value === "compare" ? <Late load={compareDialog} with={{ run, close }} /> : undefined}
      {asks.value === "case" ? <Late load={caseDialog} with={{ run, close }} /> : undefined}
      {asks.value === "share" ? <Late load={shareDialog} with={{ subject, close }} /> : undefined}
    </>
  );
}

const cancelDialog = () => import("./later.ts").then((m) => m.later.CancelDialog);
const compareDialog = () => import("./later.ts").then((m) => m.later.CompareDialog);
const caseDialog = () => import("./later.ts").then((m) => m.later.CaseDialog);
const shareDialog = () => import("../sharing/dialog.tsx").then((m) => m.ShareDialog);

type BarProps = {
  readonly store: RunStore;
  readonly run: PageRun;
  readonly role: string;
  readonly ask: (what: "cancel" | "share" | "compare" | "case") => void;
};

function Bar({ store, run, role, ask }: BarProps) {
  const over = store.over.value;
  const operates = role !== "viewer";
  const edits = operates && role !== "operator";
  return (
    <header class="top run-top">
      <div>
        <a class="mark" href="/" aria-label={t("shell.home")}>
          <Mark />
        </a>
        <nav class="crumb" aria-label={t("run.crumb")}>
          <a href={`/w/${run.workflow.id}`}>{run.workflow.name || t("shell.untitled")}</a>
          <Icon name="chevron-right" />
          <h1 title={run.id}>{t("run.name", { id: shortId(run.id) })}</h1>
        </nav>
        <RunChip status={store.status.value} />
        <Facts store={store} run={run} />
      </div>
      <nav class="seg wide-only" aria-label={t("run.tabs")}>
        <a href={`/w/${run.workflow.id}`}>
          <Icon name="workflow" />
          <span class="word">{t("run.tab.design")}</span>
        </a>
        <a href={`/w/${run.workflow.id}/runs`} aria-current="page">
          <Icon name="activity" />
          <span class="word">{t("run.tab.runs")}</span>
        </a>
        <a href={`/w/${run.workflow.id}/versions`}>
          <Icon name="git-compare" />
          <span class="word">{t("run.tab.versions")}</span>
        </a>
      </nav>
      <div>
        <button
          type="button"
          class="btn ghost"
          aria-label={t("run.compare.with")}
          onClick={() => ask("compare")}
        >
          <Icon name="git-compare" />
          <span class="wide-only">{t("run.compare")}</span>
        </button>
        {edits && over ? (
          <button
            type="button"
            class="btn ghost sq"
            aria-label={t("run.case")}
            title={t("run.case")}
            onClick={() => ask("case")}
          >
            <Icon name="flask-conical" />
          </button>
        ) : undefined}
        {edits ? (
          <button
            type="button"
            class="btn ghost"
            aria-label={t("run.share")}
            onClick={() => ask("share")}
          >
            <Icon name="share-2" />
            <span class="wide-only">{t("run.share")}</span>
          </button>
        ) : undefined}
        {operates ? <RetryButton store={store} /> : undefined}
        <WhyButton store={store} />
        {operates ? <AgainButton run={run} /> : undefined}
        {operates && !over ? <Hold store={store} /> : undefined}
        {operates && !over ? (
          <button type="button" class="btn dng" onClick={() => ask("cancel")}>
            <Icon name="square" />
            {t("run.cancel")}
          </button>
        ) : undefined}
      </div>
    </header>
  );
}

/** Opens the panel that explains a failure, when it was closed. */
function WhyButton({ store }: { readonly store: RunStore }) {
  if (store.status.value !== "failed" || store.why.value) return null;
  return (
    <button type="button" class="btn" onClick={() => (store.why.value = true)}>
      <Icon name="circle-help" />
      {t("run.why")}
    </button>
  );
}

function Facts({ store, run }: { readonly store: RunStore; readonly run: PageRun }) {
  const version = run.version.number === 0 ? t("run.draft") : `v${run.version.number}`;
  const start = new Date(run.created_at);
  store.version.value;
  const length = store.end - store.started;
  return (
    <span class="meta tn wide-only">
      <span>{version}</span>
      <span aria-hidden="true">·</span>
      <time datetime={run.created_at} title={start.toLocaleString(language())}>
        {t("run.started", { time: start.toLocaleTimeString(language()) })}
      </time>
      <span aria-hidden="true">·</span>
      <b>{store.over.value ? took(length) : ticking(length)}</b>
    </span>
  );
}

/** Starts the same version with the same input. */
function AgainButton({ run }: { readonly run: PageRun }) {
  const busy = useSignal(false);
  const again = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      const first = await call("GET", `/api/runs/${run.id}/events/1`);
      const started = await call("POST", `/api/workflows/${run.workflow.id}/runs`, {
        input: whole(at(first, "data", "input")),
        trigger: run.trigger,
        version: run.version.number === 0 ? "draft" : run.version.number,
      });
      const id = at(started, "run", "id");
      if (typeof id === "string") location.assign(`/runs/${id}`);
    } catch (fault) {
      toast(fault instanceof TooLarge ? t("run.again.large") : message(fault), "fail");
      busy.value = false;
    }
  };
  return (
    <button type="button" class="btn" aria-disabled={busy.value} onClick={() => void again()}>
      <Icon name="rotate-ccw" />
      {t("run.again")}
    </button>
  );
}

class TooLarge extends Error {}

/** The input itself; a mere reference to a large one can't be sent again. */
function whole(input: unknown): unknown {
  if (at(input, "$payload") !== undefined) throw new TooLarge();
  return input ?? null;
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect class="mark-tile" width="32" height="32" rx="8" />
      <path class="mark-track mark-rest" d="M16.4 22.5H26.5" />
      <path class="mark-track" d="M5.5 22.5h4.6c6.6 0 4.9-12.3 11.3-12.3" />
      <circle class="mark-lamp" cx="24.4" cy="10.2" r="3.7" />
    </svg>
  );
}
