// Dialogs of the run view: cancel the run, share it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shortId } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { at, call, message } from "./net.ts";
import type { PageRun } from "./props.ts";
import { RunChip } from "./status.tsx";
import { toast } from "./toast.ts";

type DialogProps = {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
};

export function Dialog({ title, close, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class={wide ? "dlg wide" : "dlg"}
      ref={dialog}
      aria-labelledby="dlg-title"
      onClose={close}
    >
      <header>
        <h2 id="dlg-title">{title}</h2>
        <button
          type="button"
          class="btn ghost sq"
          aria-label={t("shell.close")}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="x" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

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

export function Problem({ text }: { readonly text: string }) {
  return (
    <div role="alert">
      {text === "" ? undefined : (
        <p class="note fail">
          <Icon name="triangle-alert" />
          {text}
        </p>
      )}
    </div>
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

const LASTS: readonly { readonly value: string; readonly key: string }[] = [
  { value: "24h", key: "run.share.day" },
  { value: "168h", key: "run.share.week" },
  { value: "720h", key: "run.share.month" },
];

export function ShareDialog({ run, close }: Props) {
  const lasts = useSignal("168h");
  const address = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const make = async () => {
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      const made = await call("POST", "/api/shares", {
        target: "run",
        id: run.id,
        expires_in: lasts.value,
      });
      const url = at(made, "share", "url");
      address.value = typeof url === "string" ? url : "";
    } catch (fault) {
      problem.value = message(fault);
    }
    busy.value = false;
  };
  return (
    <Dialog title={t("run.share.title")} close={close}>
      <div class="body">
        <p>{t("run.share.lead")}</p>
        <ul class="share-list">
          <li class="yes">
            <Icon name="check" />
            {t("run.share.public")}
          </li>
          <li class="no">
            <Icon name="lock" />
            {t("run.share.private")}
          </li>
        </ul>
        {address.value === "" ? (
          <div class="fld">
            <label for="share-lasts">{t("run.share.lasts")}</label>
            <select
              id="share-lasts"
              class="sel"
              value={lasts.value}
              onChange={(e) => (lasts.value = e.currentTarget.value)}
            >
              {LASTS.map((l) => (
                <option key={l.value} value={l.value}>
                  {t(l.key)}
                </option>
              ))}
            </select>
          </div>
        ) : (
          <Made address={address.value} />
        )}
        <Problem text={problem.value} />
      </div>
      <footer>
        <button type="button" class="btn" onClick={close}>
          {t("shell.close")}
        </button>
        {address.value === "" ? (
          <button
            type="button"
            class="btn pri"
            aria-disabled={busy.value}
            onClick={() => void make()}
          >
            {t("run.share.make")}
          </button>
        ) : undefined}
      </footer>
    </Dialog>
  );
}

function Made({ address }: { readonly address: string }) {
  const copy = () => {
    navigator.clipboard.writeText(address).then(
      () => toast(t("shell.copied")),
      () => toast(t("shell.failed"), "fail"),
    );
  };
  return (
    <div class="fld">
      <label for="share-address">{t("run.share.address")}</label>
      <div class="share-address">
        <input
          id="share-address"
          class="inp"
          readOnly
          value={address}
          onFocus={(e) => e.currentTarget.select()}
        />
        <button type="button" class="btn" onClick={copy}>
          <Icon name="copy" />
          {t("run.copy")}
        </button>
      </div>
      <p class="hint">{t("run.share.once")}</p>
    </div>
  );
}
