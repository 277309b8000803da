// The timeline as a table: for each visit where its time went.

import { took } from "../core/run-time.ts";
import type { Times } from "../core/run-times.ts";
import { timesOf } from "../core/run-times.ts";
import { t } from "../core/strings.ts";
import type { RunStore } from "./store.ts";
import type { TimelineView } from "./timeline-view.ts";

/** More visits are told by their number. */
const ROWS_MAX = 400;

const COLUMNS = ["queued", "work", "backoff", "waiting", "inside"] as const;

export function TimesTable({
  store,
  view,
}: {
  readonly store: RunStore;
  readonly view: TimelineView;
}) {
  const rows = view.rows();
  const list = timesOf(rows, store.end, ROWS_MAX);
  return (
    <div class="tl-table" role="region" aria-label={t("run.times")} tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("run.log.step")}</th>
            <th scope="col" class="num">
              {t("run.times.visit")}
            </th>
            <th scope="col" class="num">
              {t("run.times.start")}
            </th>
            {COLUMNS.map((c) => (
              <th key={c} scope="col" class="num">
                {t(`run.times.${c}`)}
              </th>
            ))}
            <th scope="col" class="num">
              {t("run.times.attempts")}
            </th>
            <th scope="col">{t("run.times.outcome")}</th>
          </tr>
        </thead>
        <tbody>
          {list.map((row) => (
            <Row key={`${row.key} ${row.scope} ${row.visit}`} store={store} row={row} />
          ))}
        </tbody>
      </table>
      {list.length === ROWS_MAX ? (
        <p class="muted">{t("run.times.more", { n: ROWS_MAX })}</p>
      ) : undefined}
    </div>
  );
}

function Row({ store, row }: { readonly store: RunStore; readonly row: Times }) {
  return (
    <tr class={store.selected.value === row.key ? "on" : ""}>
      <th scope="row">
        <button
          type="button"
          class="lnk"
          onClick={() => {
            store.selected.value = row.key;
            if (row.seq > 0) store.goTo(row.seq);
          }}
        >
          {store.title(row.key)}
        </button>
      </th>
      <td class="num">{row.visit}</td>
      <td class="num">{took(row.from - store.started)}</td>
      {COLUMNS.map((c) => (
        <td key={c} class="num">
          {row[c] < 0.05 ? "–" : took(row[c])}
        </td>
      ))}
      <td class="num">{row.attempts}</td>
      <td>{t(`run.outcome.${row.outcome}`)}</td>
    </tr>
  );
}
