// Dialogs of the run view: cancel the run, compare it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shortId } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Dialog, Problem } from "./dialog.tsx";
import { at, call, message } from "./net.ts";
import type { PageRun } from "./props.ts";
import { RunChip } from "./status.tsx";

type Props = { readonly run: PageRun; readonly close: () => void };

export function CancelDialog({ run, close }: Props) {
  const reason = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal("");
  const cancel = async (e: Event) => {
    e.preventDefault();
    if (busy.value) return;
    busy.value = true;
    try {
      await call(
        "POST",
        `/api/runs/${run.id}/cancel`,
        reason.value === "" ? {} : { reason: reason.value },
      );
      close();
    } catch (fault) {
      problem.value = message(fault);
    }
    busy.value = false;
  };
  return (
    <Dialog title={t("run.cancel.title")} close={close}>
      <form onSubmit={(e) => void cancel(e)}>
        <div class="body">
          <p>{t("run.cancel.lead")}</p>
          <div class="fld">
            <label for="cancel-reason">{t("run.cancel.reason")}</label>
            <input
              id="cancel-reason"
              class="inp"
              maxLength={1000}
              value={reason.value}
              onInput={(e) => (reason.value = e.currentTarget.value)}
            />
          </div>
          <Problem text={problem.value} />
        </div>
        <footer>
          <button type="button" class="btn" onClick={close}>
            {t("run.cancel.keep")}
          </button>
          <button type="submit" class="btn pri dng" aria-disabled={busy.value}>
            {t("run.cancel")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

type Other = { readonly id: string; readonly status: string; readonly at: string };

/** Chooses the run to compare with, among the newest of the workflow. */
export function CompareDialog({ run, close }: Props) {
  const list = useSignal<readonly Other[] | undefined>(undefined);
  const problem = useSignal("");
  useEffect(() => {
    call("GET", `/api/runs?workflow=${run.workflow.id}&limit=30`).then(
      (value) => {
        list.value = readOthers(at(value, "runs"), run.id);
      },
      (fault: unknown) => {
        problem.value = message(fault);
      },
    );
  }, [run.id]);
  return (
    <Dialog title={t("run.compare.with")} close={close}>
      <div class="body">
        {list.value?.length === 0 ? <p>{t("run.compare.alone")}</p> : undefined}
        <nav class="menu compare-list" aria-label={t("run.compare.with")}>
          {list.value?.map((o) => (
            <a key={o.id} href={`/runs/${run.id}?with=${o.id}`}>
              <RunChip status={o.status} />
              {t("run.name", { id: shortId(o.id) })}
              <span class="muted tn">{new Date(o.at).toLocaleString()}</span>
            </a>
          ))}
        </nav>
        <Problem text={problem.value} />
      </div>
    </Dialog>
  );
}

function readOthers(list: unknown, but: string): readonly Other[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((r: unknown) => {
    const [id, status, made] = [at(r, "id"), at(r, "status"), at(r, "created_at")];
    return typeof id === "string" &&
      id !== but &&
      typeof status === "string" &&
      typeof made === "string"
      ? [{ id, status, at: made }]
      : [];
  });
}
