// The whole event under its row: what it changed, its JSON, and where to go.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { differenceOf } from "../core/run-diff.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { canFork } from "../core/run-fork.ts";
import { size, took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { call, message } from "./net.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";
import { valuesOf } from "./values.ts";

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

/** More changes than this are told by their number. */
const CHANGES_MAX = 4;

/** What the event changed, and which events caused it. */
function Change({ store, e }: { readonly store: RunStore; readonly e: Brief }) {
  const words = useMemo(() => {
    const d = differenceOf(store.trace.at(e.seq - 1), store.trace.at(e.seq));
    const line = (id: string) => store.picture.lines.find((l) => l.id === id);
    return [
      ...(d.status === undefined
        ? []
        : [t("run.change.run", { is: t(`status.${d.status.after}`) })]),
      ...d.nodes.map((n) =>
        t("run.change.node", {
          step: store.title(n.key),
          was: t(`run.node.${n.before}`),
          is: t(`run.node.${n.after}`),
        }),
      ),
      ...d.tokens.map((x) =>
        t(x.by > 0 ? "run.change.came" : "run.change.taken", {
          from: line(x.edge)?.from.title ?? "",
          to: line(x.edge)?.to.title ?? "",
        }),
      ),
    ];
  }, [store, e.seq]);
  const causes = useMemo(() => valuesOf(store).origins.of(e), [store, e.seq]);
  return (
    <>
      {words.length === 0 ? undefined : (
        <ul class="ev-change">
          {words.slice(0, CHANGES_MAX).map((w) => (
            <li key={w}>{w}</li>
          ))}
          {words.length > CHANGES_MAX ? (
            <li>{t("run.change.more", { n: words.length - CHANGES_MAX })}</li>
          ) : undefined}
        </ul>
      )}
      {causes.length === 0 ? undefined : (
        <p class="ev-cause">
          {t("run.side.cause")}
          {causes.slice(0, 3).map((c) => (
            <button key={c.seq} type="button" class="lnk" onClick={() => store.goTo(c.seq)}>
              {t("run.cause", { n: c.seq, step: store.title(nodeOf(c)) })}
            </button>
          ))}
        </p>
      )}
    </>
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
