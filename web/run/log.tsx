// The event log: its head, filters and foot around the rows.

import { useRef } from "preact/hooks";
import { isError } from "../core/run-event.ts";
import { NO_FILTER } from "../core/run-filter.ts";
import { language, t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { Rows } from "./log-rows.tsx";
import type { LogView } from "./log-view.ts";
import type { RunStore } from "./store.ts";
import { typeWords } from "./words.ts";

export function Log({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  const rows = log.rows();
  const { trace } = store;
  return (
    <section class="log" aria-labelledby="log-title" data-region tabindex={-1}>
      <header>
        <h2 id="log-title">{t("run.log")}</h2>
        <span class="chip tn">{trace.last.toLocaleString(language())}</span>
        <ErrorsSwitch store={store} log={log} />
      </header>
      <Filters store={store} log={log} />
      <GapNote store={store} />
      {rows.length === 0 ? (
        <NoRows store={store} log={log} />
      ) : (
        <Rows store={store} log={log} rows={rows} count={rows.length} />
      )}
      <LogFoot store={store} />
    </section>
  );
}

function ErrorsSwitch({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  store.version.value;
  const count = useErrors(store);
  const { errors } = log.filter.value;
  return (
    <div class="seg sm end" role="group" aria-label={t("run.log.which")}>
      <button type="button" aria-pressed={!errors} onClick={() => log.set({ errors: false })}>
        {t("run.log.all")}
      </button>
      <button type="button" aria-pressed={errors} onClick={() => log.set({ errors: true })}>
        {t("run.log.errors")} <span class="n">{count.toLocaleString(language())}</span>
      </button>
    </div>
  );
}

/** Counts errors; only new events are looked at. */
function useErrors(store: RunStore): number {
  const seen = useRef({ upTo: 0, n: 0 });
  const { events } = store.trace;
  for (; seen.current.upTo < events.length; seen.current.upTo += 1) {
    const e = events[seen.current.upTo];
    if (e !== undefined && isError(e)) seen.current.n += 1;
  }
  return seen.current.n;
}

function Filters({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  const filter = log.filter.value;
  const value = (e: Event) =>
    e.currentTarget instanceof HTMLInputElement || e.currentTarget instanceof HTMLSelectElement
      ? e.currentTarget.value
      : "";
  return (
    <div class="log-filters">
      <label class="log-search">
        <Icon name="search" />
        <span class="sr">{t("run.log.filter")}</span>
        <input
          type="search"
          id="log-filter"
          placeholder={t("run.log.filter")}
          value={filter.text}
          onInput={(e) => log.set({ text: value(e) })}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <select
        class="sel"
        aria-label={t("run.log.step")}
        value={filter.step}
        onChange={(e) => log.set({ step: value(e) })}
      >
        <option value="">{t("run.log.step.all")}</option>
        {store.picture.cards.map((c) => (
          <option key={c.key} value={c.key}>
            {c.title}
          </option>
        ))}
      </select>
      <select
        class="sel"
        aria-label={t("run.log.type")}
        value={filter.type}
        onChange={(e) => log.set({ type: value(e) })}
      >
        <option value="">{t("run.log.type.all")}</option>
        {[...store.types].map((type) => (
          <option key={type} value={type}>
            {typeWords(type)}
          </option>
        ))}
      </select>
    </div>
  );
}

function GapNote({ store }: { readonly store: RunStore }) {
  const hole = store.hole.value;
  if (hole === undefined) return null;
  return (
    <p class="note warn log-gap">
      <span class="spin" aria-hidden="true" />
      {t("run.gap", { from: hole.from, to: hole.to })}
    </p>
  );
}

function NoRows({ store, log }: { readonly store: RunStore; readonly log: LogView }) {
  if (store.trace.last > 0) {
    return (
      <div class="empty log-empty">
        <p>{t("run.log.none")}</p>
        <button type="button" class="btn sm" onClick={() => (log.filter.value = NO_FILTER)}>
          {t("run.log.clear")}
        </button>
      </div>
    );
  }
  if (store.at.value === "loading") {
    return (
      <div class="log-skeleton" role="status" aria-label={t("run.loading")}>
        {Array.from({ length: 9 }, (_none, i) => (
          <span key={i} class="skel" />
        ))}
      </div>
    );
  }
  return (
    <div class="empty log-empty">
      <p>{t("run.log.empty")}</p>
    </div>
  );
}

function LogFoot({ store }: { readonly store: RunStore }) {
  const at = store.at.value;
  return (
    <footer class="log-foot">
      {at === "live" ? <span class="live-dot" aria-hidden="true" /> : undefined}
      {at === "offline" ? <Icon name="wifi-off" /> : undefined}
      <span class={`link-${at}`}>{t(`run.link.${at}`)}</span>
      {at === "live" && store.rate.value > 0 ? (
        <span class="tn">{t("run.rate", { n: store.rate.value })}</span>
      ) : undefined}
    </footer>
  );
}
