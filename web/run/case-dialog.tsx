// Keeps the run as a case: from then on drafts are rehearsed on it.

import { useSignal } from "@preact/signals";
import { t } from "../core/strings.ts";
import { Dialog, Problem } from "./dialog.tsx";
import { call, message } from "./net.ts";
import type { PageRun } from "./props.ts";

type Props = { readonly run: PageRun; readonly close: () => void };

export function CaseDialog({ run, close }: Props) {
  const name = useSignal("");
  const busy = useSignal(false);
  const kept = useSignal(false);
  const problem = useSignal("");
  const keep = async (e: Event) => {
    e.preventDefault();
    if (busy.value || name.value.trim() === "") return;
    busy.value = true;
    problem.value = "";
    try {
      await call("POST", `/api/workflows/${run.workflow.id}/cases`, {
        run: run.id,
        name: name.value.trim(),
      });
      kept.value = true;
    } catch (fault) {
      problem.value = message(fault);
    }
    busy.value = false;
  };
  if (kept.value) {
    return (
      <Dialog title={t("run.case")} close={close}>
        <div class="body">
          <p role="status">{t("run.case.kept", { name: name.value.trim() })}</p>
        </div>
        <footer>
          <button type="button" class="btn" onClick={close}>
            {t("shell.close")}
          </button>
          <a class="btn pri" href={`/w/${run.workflow.id}/cases`}>
            {t("run.case.all")}
          </a>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("run.case")} close={close}>
      <form onSubmit={(e) => void keep(e)}>
        <div class="body">
          <p>{t("run.case.lead")}</p>
          <div class="fld">
            <label for="case-name">{t("run.case.name")}</label>
            <input
              id="case-name"
              class="inp"
              required
              maxLength={100}
              placeholder={t("run.case.like")}
              value={name.value}
              onInput={(e) => (name.value = e.currentTarget.value)}
            />
          </div>
          <Problem text={problem.value} />
        </div>
        <footer>
          <button type="button" class="btn" onClick={close}>
            {t("shell.cancel")}
          </button>
          <button type="submit" class="btn pri" aria-disabled={busy.value}>
            {t("run.case.keep")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
