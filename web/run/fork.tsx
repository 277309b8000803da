// A new run that begins as this one did: the button that tries the failed step
// again, and the way there and back.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { failureOf } from "../core/run-cause.ts";
import { shortId } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { at, call, message } from "./net.ts";
import type { PageRun } from "./props.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

/** Tries the step that ended the run again, as a new run. */
export function RetryButton({ store, small }: { readonly store: RunStore; readonly small?: true }) {
  const busy = useSignal(false);
  store.version.value;
  if (store.status.value !== "failed" || failureOf(store.trace.events) === undefined) return null;
  const retry = async () => {
    if (busy.value) return;
    busy.value = true;
    try {
      open(await call("POST", `/api/runs/${store.info.id}/retry`));
    } catch (fault) {
      toast(message(fault), "fail");
      busy.value = false;
    }
  };
  return (
    <button
      type="button"
      class={small === true ? "btn pri sm" : "btn pri"}
      aria-disabled={busy.value}
      onClick={() => void retry()}
    >
      <Icon name="rotate-ccw" />
      {t("run.retry")}
    </button>
  );
}

/** Goes to the run that was started. */
export function open(answer: unknown): void {
  const id = at(answer, "run", "id");
  if (typeof id === "string") location.assign(`/runs/${id}`);
}

type Kin = { readonly id: string; readonly at: number; readonly status: string };

/** Where this run comes from, and which ones go on from it. */
export function Lineage({ run }: { readonly run: PageRun }) {
  const forks = useSignal<readonly Kin[]>([]);
  useEffect(() => {
    call("GET", `/api/runs/${run.id}/forks`).then(
      (value) => {
        forks.value = readKin(at(value, "runs"));
      },
      () => undefined, // a link less
    );
  }, [run.id]);
  const from = run.forked_from;
  if (from === undefined && forks.value.length === 0) return null;
  return (
    <div class="lineage">
      {from === undefined ? undefined : (
        <a class="chip" href={`/runs/${from.run}`} title={from.run}>
          <Icon name="git-branch" />
          {t("run.forked_from", { id: shortId(from.run), at: from.at })}
        </a>
      )}
      {from === undefined ? undefined : (
        <a class="chip" href={`/runs/${from.run}?with=${run.id}`}>
          <Icon name="git-compare" />
          {t("run.compare")}
        </a>
      )}
      {forks.value.length === 0 ? undefined : (
        <details class="drop">
          <summary class="chip">
            <Icon name="git-branch" />
            {t("run.forks", { n: forks.value.length })}
          </summary>
          <nav class="pop menu" aria-label={t("run.forks.list")}>
            {forks.value.map((f) => (
              <a key={f.id} href={`/runs/${f.id}`}>
                {t("run.fork.link", { id: shortId(f.id), at: f.at })}
                <span class="muted">{t(`status.${f.status}`)}</span>
              </a>
            ))}
          </nav>
        </details>
      )}
    </div>
  );
}

function readKin(list: unknown): readonly Kin[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((r: unknown) => {
    const id = at(r, "id");
    const point = at(r, "forked_from", "at");
    const status = at(r, "status");
    return typeof id === "string" && typeof point === "number" && typeof status === "string"
      ? [{ id, at: point, status }]
      : [];
  });
}
