// What people can do about a run that goes on: hold it, undo it.

import { COMPENSATE } from "../core/graph.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { call, message } from "./net.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

export async function act(store: RunStore, path: string, body: unknown): Promise<void> {
  try {
    await call("POST", `/api/runs/${store.info.id}/${path}`, body);
  } catch (fault) {
    toast(message(fault), "fail");
  }
}

/** Hold the run or let it go on; undo it, where something can be undone. */
export function Hold({ store }: { readonly store: RunStore }) {
  const paused = store.status.value === "paused";
  const undoes = store.graph.edges.some((e) => e.port === COMPENSATE);
  return (
    <>
      {undoes && store.status.value !== "compensating" ? (
        <button type="button" class="btn" onClick={() => void act(store, "rollback", {})}>
          <Icon name="undo-2" />
          <span class="wide-only">{t("run.act.rollback")}</span>
        </button>
      ) : undefined}
      <button
        type="button"
        class="btn"
        onClick={() => void act(store, paused ? "resume" : "pause", {})}
      >
        <Icon name={paused ? "play" : "pause"} />
        <span class="wide-only">{t(paused ? "run.act.resume" : "run.act.pause")}</span>
      </button>
    </>
  );
}
