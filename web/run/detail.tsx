// The whole event under its row: what it changed, its JSON, and where to go.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { canFork } from "../core/run-cause.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { size, took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { call, message } from "./net.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

export const DETAIL_HEIGHT = 304;

/** More than this is shown by its beginning; copying takes all of it. */
const SHOWN_MAX = 60_000;

type Loaded = { readonly text: string } | { readonly problem: string } | undefined;

export function Detail({ store, e }: { readonly store: RunStore; readonly e: Brief }) {
  const loaded = useSignal<Loaded>(undefined);
  useEffect(() => {
    let wanted = true;
    call("GET", `/api/runs/${store.info.id}/events/${e.seq}`).then(
      (value) => {
        if (wanted) loaded.value = { text: JSON.stringify(value, undefined, 2) };
      },
      (fault: unknown) => {
        if (wanted) loaded.value = { problem: message(fault) };
      },
    );
    return () => {
      wanted = false;
    };
  }, [store, e.seq]);
  const value = loaded.value;
  return (
    <div class="ev-detail">
      <div class="ev-facts">
        <span>{t("run.event.number", { n: e.seq })}</span>
        {e.worker === undefined || e.worker === "" ? undefined : <span>{e.worker}</span>}
        {e.began === undefined ? undefined : <span>{took(e.at - e.began)}</span>}
        {e.size === undefined ? undefined : <span>{size(e.size)}</span>}
      </div>
      <Change store={store} e={e} />
      {e.error === undefined ? undefined : (
        <p class="ev-error">
          <b>{e.error.class}</b> {e.error.message}
        </p>
      )}
      <Json value={value} />
      <div class="ev-acts">
        <button type="button" class="lnk" onClick={() => store.goTo(e.seq)}>
          <Icon name="history" />
          {t("run.go")}
        </button>
        {store.info.operates && canFork(e) ? (
          <button type="button" class="lnk" onClick={() => (store.forking.value = e.seq)}>
            <Icon name="git-branch" />
            {t("run.fork")}
          </button>
        ) : undefined}
        <button
          type="button"
          class="lnk"
          disabled={value === undefined || !("text" in value)}
          onClick={() => copy(value)}
        >
          <Icon name="copy" />
          {t("run.copy")}
        </button>
      </div>
    </div>
  );
}

/** What the event changed of its step. */
function Change({ store, e }: { readonly store: RunStore; readonly e: Brief }) {
  const key = nodeOf(e);
  const words = useMemo(() => {
    if (key === undefined) return undefined;
    const before = store.trace.at(e.seq - 1).nodes.get(key)?.status;
    const after = store.trace.at(e.seq).nodes.get(key)?.status;
    return before === undefined || after === undefined || before === after
      ? undefined
      : { before, after };
  }, [store, e.seq, key]);
  if (words === undefined) return null;
  return (
    <p class="ev-change">
      <span class="was">{t(`run.node.${words.before}`)}</span>
      <Icon name="arrow-right" />
      <span class="is">{t(`run.node.${words.after}`)}</span>
    </p>
  );
}

function Json({ value }: { readonly value: Loaded }) {
  if (value === undefined)
    return <div class="ev-json skel" role="status" aria-label={t("run.loading")} />;
  if ("problem" in value) return <p class="note fail ev-problem">{value.problem}</p>;
  const long = value.text.length > SHOWN_MAX;
  return (
    <pre class="ev-json" tabindex={0} role="region" aria-label={t("run.event.json")}>
      {long ? `${value.text.slice(0, SHOWN_MAX)}\n${t("run.event.more")}` : value.text}
    </pre>
  );
}

function copy(value: Loaded): void {
  if (value === undefined || !("text" in value)) return;
  navigator.clipboard.writeText(value.text).then(
    () => toast(t("shell.copied")),
    () => toast(t("shell.failed"), "fail"),
  );
}
