// Another way of a shared run: what would follow if an event had put something
// else out. The server plays it; nothing outside is called.

import { useSignal } from "@preact/signals";
import { nodeOf, readBriefs } from "../core/run-event.ts";
import { t } from "../core/strings.ts";
import { Dialog, Problem } from "../run/dialog.tsx";
import { Icon } from "../run/icon.tsx";
import { at as member, message } from "../run/net.ts";
import { RunStore } from "../run/store.ts";
import { eventWords } from "../run/words.ts";
import { post } from "./form.ts";

type Stopped = { readonly node: string; readonly why: string };

/** Why each sandbox stopped, by its store. */
const stops = new WeakMap<RunStore, Stopped>();

/** Says that this is not the run itself, and why it ends where it does. */
export function SandboxBar({
  store,
  back,
}: {
  readonly store: RunStore;
  readonly back: () => void;
}) {
  const stopped = stops.get(store);
  return (
    <div class="banner sandbox" role="status" data-sandbox>
      <Icon name="flask-conical" />
      <span>
        {stopped === undefined
          ? t("share.sandbox.over")
          : t(`share.sandbox.${stopped.why}`, { step: store.title(stopped.node) })}
      </span>
      <button type="button" class="lnk" onClick={back}>
        {t("share.sandbox.back")}
      </button>
    </div>
  );
}

type DialogProps = {
  readonly store: RunStore;
  readonly at: number;
  readonly base: string;
  readonly close: () => void;
  readonly play: (played: RunStore) => void;
};

export function SandboxDialog({ store, at, base, close, play }: DialogProps) {
  const text = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const event = store.trace.events[at - 1];
  if (event === undefined) return null;
  const start = async (submit: Event) => {
    submit.preventDefault();
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      const fields = new URLSearchParams({ at: String(at) });
      if (text.value.trim() !== "") fields.set("output", text.value);
      play(played(store, await post(`${base}/sandbox`, fields)));
    } catch (fault) {
      problem.value = message(fault);
      busy.value = false;
    }
  };
  return (
    <Dialog title={t("share.sandbox.title")} close={close}>
      <form onSubmit={(submit) => void start(submit)}>
        <div class="body">
          <p>{t("share.sandbox.lead")}</p>
          <p class="fork-event">
            <Icon name="git-branch" />
            <b>{store.title(nodeOf(event))}</b>
            <span>{eventWords(event)}</span>
          </p>
          <div class="fld">
            <label for="sandbox-output">{t("share.sandbox.output")}</label>
            <textarea
              id="sandbox-output"
              class="inp mono"
              rows={6}
              spellcheck={false}
              placeholder="{}"
              value={text.value}
              aria-describedby="sandbox-hint"
              onInput={(e) => (text.value = e.currentTarget.value)}
            />
            <p class="hint" id="sandbox-hint">
              {t("share.sandbox.hint")}
            </p>
          </div>
          <Problem text={problem.value} />
        </div>
        <footer>
          <button type="button" class="btn" onClick={close}>
            {t("shell.cancel")}
          </button>
          <button type="submit" class="btn pri" aria-disabled={busy.value}>
            <Icon name="play" />
            {t("share.sandbox.start")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

let plays = 0;

/** A store that holds what the server played. */
function played(own: RunStore, answer: unknown): RunStore {
  const events = readBriefs(member(answer, "events"));
  const status = member(answer, "status");
  const first = events[0];
  const last = events.at(-1);
  const why = member(answer, "stopped", "why");
  const node = member(answer, "stopped", "node");
  plays += 1;
  const store = new RunStore(
    {
      ...own.info,
      id: `sandbox-${plays}`,
      // It goes no further: what stopped it is said in a bar of its own.
      status: typeof status === "string" ? status : "",
      created: first?.at ?? own.info.created,
      ended: last?.at,
    },
    own.graph,
    own.specs,
  );
  store.events(events);
  store.link("over");
  if (typeof why === "string")
    stops.set(store, { why, node: typeof node === "string" ? node : "" });
  return store;
}
