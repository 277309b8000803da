// The boards: tabs and ranges above, charts below.

import { useMemo } from "preact/hooks";
import type { Board, Business } from "../core/board.ts";
import { eventCharts, infrastructureCharts } from "../core/board-chart.ts";
import { language, t } from "../core/strings.ts";
import { BusinessBoard } from "./business.tsx";
import { ChartCard, useNoPointer } from "./chart.tsx";
import { clock } from "./clock.ts";
import { Icon } from "./icon.tsx";
import type { BoardStore, Shown } from "./store.ts";
import { SummaryStrip } from "./summary.tsx";
import { Toolbar } from "./toolbar.tsx";

export function App({ store }: { readonly store: BoardStore }) {
  useNoPointer(store);
  const shown = store.shown.value;
  return (
    <>
      <Toolbar store={store} />
      {store.fault.value !== undefined && (
        <p class="note fail" role="alert">
          <Icon name="triangle-alert" />
          <span>{store.fault.value}</span>
          <button type="button" class="btn sm" onClick={() => store.load()}>
            {t("boards.again")}
          </button>
        </p>
      )}
      {shown === undefined && store.fault.value === undefined && <Loading />}
      {shown !== undefined && <Shows store={store} shown={shown} />}
    </>
  );
}

function Loading() {
  return (
    <div class="board-grid" aria-busy="true" aria-label={t("boards.loading")} role="status">
      {["a", "b", "c", "d"].map((key) => (
        <div class="card chart" key={key}>
          <div class="skel" />
        </div>
      ))}
    </div>
  );
}

function Shows({ store, shown }: { readonly store: BoardStore; readonly shown: Shown }) {
  const { place, answer } = shown;
  return (
    <>
      {place.tab === "business" ? (
        <BusinessBoard business={answer as Business} store={store} naming={store.naming()} />
      ) : (
        <Counted store={store} shown={shown} />
      )}
      <p class="board-foot">
        <span class="tn">
          {t("boards.foot", {
            time: clock(Date.parse(answer.now) / 1000, 1, 0, language()),
            step: stepName(answer.step),
          })}
        </span>
        {place.tab !== "business" && (
          <>
            <span class="hatched" aria-hidden="true" />
            <span>{t("boards.foot.dark")}</span>
          </>
        )}
      </p>
    </>
  );
}

function stepName(step: number): string {
  if (step < 60) return t("boards.step.seconds", { n: step });
  return step < 3600
    ? t("boards.step.minutes", { n: step / 60 })
    : t("boards.step.hours", { n: step / 3600 });
}

function Counted({ store, shown }: { readonly store: BoardStore; readonly shown: Shown }) {
  const { place } = shown;
  const board = shown.answer as Board;
  const charts = useMemo(() => {
    const make = place.tab === "infrastructure" ? infrastructureCharts : eventCharts;
    return make(board, { ...store.naming(), workflow: place.workflow });
  }, [board, place, store]);
  return (
    <>
      <h2 class="sr">{t(`boards.tab.${place.tab}`)}</h2>
      {place.tab === "events" && <SummaryStrip board={board} workflow={place.workflow} />}
      <div class="board-grid">
        {charts.map((chart) => (
          <ChartCard key={chart.id} chart={chart} answer={board} store={store} />
        ))}
      </div>
    </>
  );
}
