// The dialog that asks for a new run that begins as this one did.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { shortId } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Dialog, Problem } from "./dialog.tsx";
import { open } from "./fork.tsx";
import { Icon } from "./icon.tsx";
import { at, call, message } from "./net.ts";
import type { RunStore } from "./store.ts";
import { eventWords } from "./words.ts";

/** What an event put out: undefined while it loads; large: too large to be edited here. */
type Output = { readonly text: string } | "none" | "large" | undefined;

export function ForkDialog({ store }: { readonly store: RunStore }) {
  const seq = store.forking.value;
  const e = seq === undefined ? undefined : store.trace.events[seq - 1];
  return e === undefined ? null : <Ask key={e.seq} store={store} e={e} />;
}

function Ask({ store, e }: { readonly store: RunStore; readonly e: Brief }) {
  const before = useSignal<Output>(undefined);
  const text = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  useEffect(() => {
    call("GET", `/api/runs/${store.info.id}/events/${e.seq}`).then(
      (value) => {
        before.value = outputOf(value);
        if (typeof before.value === "object") text.value = before.value.text;
      },
      (fault: unknown) => {
        before.value = "none";
        problem.value = message(fault);
      },
    );
  }, [store, e.seq]);
  const close = () => {
    store.forking.value = undefined;
  };
  const start = async (submit: Event) => {
    submit.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      const output = changed(before.value, text.value);
      open(
        await call("POST", `/api/runs/${store.info.id}/fork`, {
          at: e.seq,
          ...(output === undefined ? {} : { output }),
        }),
      );
    } catch (fault) {
      problem.value = fault instanceof SyntaxError ? t("run.fork.json") : message(fault);
      busy.value = false;
    }
  };
  const title = store.title(nodeOf(e));
  return (
    <Dialog title={t("run.fork.title")} close={close} wide>
      <form onSubmit={(submit) => void start(submit)}>
        <div class="body">
          <p>{t("run.fork.lead", { at: e.seq })}</p>
          <p class="fork-event">
            <Icon name="git-branch" />
            <b>{title === "" ? t("run.name", { id: shortId(store.info.id) }) : title}</b>
            <span>{eventWords(e)}</span>
          </p>
          <Edit before={before.value} text={text} />
          <Problem text={problem.value} />
        </div>
        <footer>
          <button type="button" class="btn" onClick={close}>
            {t("shell.cancel")}
          </button>
          <button type="submit" class="btn pri" aria-disabled={busy.value}>
            <Icon name="git-branch" />
            {t("run.fork.start")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Edit({ before, text }: { readonly before: Output; readonly text: { value: string } }) {
  if (before === undefined)
    return <div class="skel fork-skeleton" role="status" aria-label={t("run.loading")} />;
  if (before === "none") return null;
  if (before === "large") return <p class="hint">{t("run.fork.large")}</p>;
  return (
    <div class="fld">
      <label for="fork-output">{t("run.fork.output")}</label>
      <textarea
        id="fork-output"
        class="inp mono"
        rows={10}
        spellcheck={false}
        value={text.value}
        aria-describedby="fork-hint"
        onInput={(e) => (text.value = e.currentTarget.value)}
      />
      <p class="hint" id="fork-hint">
        {t("run.fork.hint")}
      </p>
    </div>
  );
}

function outputOf(event: unknown): Output {
  const type = at(event, "type");
  const value = at(event, "data", type === "RunStarted" ? "input" : "output");
  if (value === undefined) return "none";
  if (at(value, "$payload") !== undefined) return "large";
  return { text: JSON.stringify(value, undefined, 2) };
}

/** What the person wrote instead; undefined: as it was. Throws when it is no JSON. */
function changed(before: Output, text: string): unknown {
  if (typeof before !== "object" || text === before.text) return undefined;
  const value: unknown = JSON.parse(text);
  return JSON.stringify(value, undefined, 2) === before.text ? undefined : value;
}
