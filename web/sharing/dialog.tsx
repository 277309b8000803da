// The share dialog of the editor and of the run view: what a link may do, who
// may see it and for how long, exactly what becomes public, and the links that
// are open. Loaded when it is opened.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../core/strings.ts";
import { Dialog, Problem } from "../run/dialog.tsx";
import { Icon } from "../run/icon.tsx";
import { message } from "../run/net.ts";
import { Links } from "./links.tsx";
import { Made } from "./made.tsx";
import type { Choice, Preview, Subject, Version } from "./model.ts";
import { make, preview, usual, versions } from "./model.ts";
import { Public } from "./public.tsx";

type Props = { readonly subject: Subject; readonly close: () => void };

const WAIT_MS = 200;

export function ShareDialog({ subject, close }: Props) {
  const choice = useSignal<Choice>(usual);
  const shown = useSignal<Preview | undefined>(undefined);
  const problem = useSignal("");
  const busy = useSignal(false);
  const made = useSignal<{ readonly url: string; readonly choice: Choice } | undefined>(undefined);
  const all = useSignal<readonly Version[]>([]);
  const chosen = choice.value;
  useEffect(() => {
    if (subject.target !== "workflow") return;
    versions(subject.id).then(
      (list) => (all.value = list),
      () => undefined, // a choice less
    );
  }, [subject]);
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => {
      preview(subject, chosen).then(
        (answer) => {
          if (!wanted) return;
          shown.value = answer;
          problem.value = "";
        },
        (fault: unknown) => {
          if (!wanted) return;
          shown.value = undefined;
          problem.value = message(fault);
        },
      );
    }, WAIT_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [subject, chosen]);
  const submit = async (e: Event) => {
    e.preventDefault();
    if (busy.value || shown.value === undefined) return;
    busy.value = true;
    try {
      made.value = { url: await make(subject, chosen), choice: chosen };
    } catch (fault) {
      problem.value = message(fault);
    }
    busy.value = false;
  };
  const ids = [subject.id, ...all.value.map((v) => v.id)];
  return (
    <Dialog title={t("sharing.title", { name: subject.name })} close={close} wide>
      <div class="body sharing" data-sharing>
        {made.value === undefined ? (
          <form id="sharing-form" onSubmit={(e) => void submit(e)}>
            <div class="sharing-cols">
              <Ask
                subject={subject}
                versions={all.value}
                choice={chosen}
                set={(c) => (choice.value = c)}
              />
              <Public subject={subject} choice={chosen} preview={shown.value} />
            </div>
            <Problem text={problem.value} />
          </form>
        ) : (
          <Made url={made.value.url} choice={made.value.choice} name={subject.name} />
        )}
        <Links ids={ids} again={made.value?.url} />
      </div>
      <footer>
        {made.value === undefined ? (
          <>
            <button type="button" class="btn" onClick={close}>
              {t("shell.cancel")}
            </button>
            <button
              type="submit"
              form="sharing-form"
              class="btn pri"
              aria-disabled={busy.value || shown.value === undefined}
            >
              <Icon name="link" />
              {t("sharing.make")}
            </button>
          </>
        ) : (
          <>
            <button type="button" class="btn" onClick={() => (made.value = undefined)}>
              {t("sharing.another")}
            </button>
            <button type="button" class="btn pri" onClick={close}>
              {t("sharing.done")}
            </button>
          </>
        )}
      </footer>
    </Dialog>
  );
}

type AskProps = {
  readonly subject: Subject;
  readonly versions: readonly Version[];
  readonly choice: Choice;
  readonly set: (choice: Choice) => void;
};

const SCOPES = ["view", "run", "copy"] as const;

const LASTS: readonly { readonly value: string; readonly key: string }[] = [
  { value: "24h", key: "sharing.day" },
  { value: "168h", key: "sharing.week" },
  { value: "720h", key: "sharing.month" },
  { value: "8760h", key: "sharing.year" },
  { value: "never", key: "sharing.never" },
];

function Ask({ subject, versions: list, choice, set }: AskProps) {
  const run = subject.target === "run";
  return (
    <div class="sharing-ask">
      <fieldset>
        <legend>{t("sharing.scope")}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="sharing-scope">
            <input
              type="radio"
              name="scope"
              value={scope}
              checked={choice.scope === scope}
              onChange={() => set({ ...choice, scope })}
            />
            <span>
              <b>{t(`sharing.scope.${scope}`)}</b>
              <small>{t(`sharing.scope.${scope}.lead`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="sharing-two">
        {!run && list.length > 1 ? (
          <div class="fld">
            <label for="sharing-version">{t("sharing.version")}</label>
            <select
              id="sharing-version"
              class="sel"
              value={choice.version}
              onChange={(e) => set({ ...choice, version: e.currentTarget.value })}
            >
              <option value="">{t("sharing.version.active")}</option>
              {list.map((v) => (
                <option key={v.id} value={v.id}>{`v${v.number}`}</option>
              ))}
            </select>
          </div>
        ) : undefined}
        <div class="fld">
          <label for="sharing-lasts">{t("sharing.lasts")}</label>
          <select
            id="sharing-lasts"
            class="sel"
            value={choice.lasts}
            onChange={(e) => set({ ...choice, lasts: e.currentTarget.value })}
          >
            {LASTS.filter((l) => l.value !== "never" || choice.listed).map((l) => (
              <option key={l.value} value={l.value}>
                {t(l.key)}
              </option>
            ))}
          </select>
        </div>
      </div>
      {run || choice.scope === "run" ? (
        <Switch name="data" on={choice.data} set={(data) => set({ ...choice, data })} />
      ) : undefined}
      {run ? (
        <Switch name="forks" on={choice.forks} set={(forks) => set({ ...choice, forks })} />
      ) : undefined}
      <Switch
        name="listed"
        on={choice.listed}
        set={(listed) => set({ ...choice, listed, lasts: listed ? "never" : usual.lasts })}
      />
      <details class="sharing-frame">
        <summary>{t("sharing.origins")}</summary>
        <div class="fld">
          <label for="sharing-origins">{t("sharing.origins.label")}</label>
          <input
            id="sharing-origins"
            class="inp mono"
            placeholder={t("sharing.origins.example")}
            value={choice.origins}
            aria-describedby="sharing-origins-hint"
            onInput={(e) => set({ ...choice, origins: e.currentTarget.value })}
          />
          <p class="hint" id="sharing-origins-hint">
            {t("sharing.origins.hint")}
          </p>
        </div>
      </details>
    </div>
  );
}

function Switch({
  name,
  on,
  set,
}: {
  readonly name: string;
  readonly on: boolean;
  readonly set: (on: boolean) => void;
}) {
  return (
    <label class="sharing-switch">
      <input
        type="checkbox"
        name={name}
        checked={on}
        onChange={(e) => set(e.currentTarget.checked)}
      />
      <span>
        <b>{t(`sharing.${name}`)}</b>
        <small>{t(`sharing.${name}.lead`)}</small>
      </span>
    </label>
  );
}
