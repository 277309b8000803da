// What metric and outcome nodes wrote down.

import type { Business, Decision, Score } from "../core/board.ts";
import type { Naming } from "../core/board-chart.ts";
import { decisionChart, metricChart, versionName } from "../core/board-chart.ts";
import { format } from "../core/board-format.ts";
import { language, t } from "../core/strings.ts";
import { ChartCard } from "./chart.tsx";
import { Icon } from "./icon.tsx";
import type { BoardStore } from "./store.ts";

type Props = { readonly business: Business; readonly store: BoardStore; readonly naming: Naming };

export function BusinessBoard({ business, store, naming }: Props) {
  if (business.metrics.length + business.decisions.length === 0) return <Nothing />;
  return (
    <>
      {business.decisions.length > 0 && (
        <section aria-labelledby="decisions-h">
          <h2 id="decisions-h">{t("boards.decisions")}</h2>
          <div class="board-grid">
            {business.decisions.map((d) => (
              <DecisionCards
                key={d.name}
                decision={d}
                business={business}
                store={store}
                naming={naming}
              />
            ))}
          </div>
        </section>
      )}
      {business.metrics.length > 0 && (
        <section aria-labelledby="metrics-h">
          <h2 id="metrics-h">{t("boards.metrics")}</h2>
          <div class="board-grid">
            {business.metrics.map((m) => (
              <div class="board-cell" key={`${m.type}-${m.name}`}>
                <ChartCard chart={metricChart(m, naming)} answer={business} store={store} />
                {m.more !== undefined && (
                  <p class="board-note">
                    {t(m.type === "gauge" ? "boards.more.gauge" : "boards.more", {
                      n: m.more,
                      drawn: m.series.filter((s) => s.rest !== true).length,
                    })}
                  </p>
                )}
              </div>
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function Nothing() {
  return (
    <div class="card empty">
      <span class="tile t-data">
        <Icon name="chart-line" />
      </span>
      <h2>{t("boards.business.none")}</h2>
      <p>{t("boards.business.none.lead")}</p>
      <div class="row">
        <a class="btn pri" href="/">
          {t("boards.business.none.go")}
        </a>
      </div>
    </div>
  );
}

type DecisionProps = Props & { readonly decision: Decision };

function DecisionCards({ decision, business, store, naming }: DecisionProps) {
  return (
    <>
      <ChartCard
        chart={decisionChart(decision, business, naming)}
        answer={business}
        store={store}
      />
      <article class="card chart" data-scores={decision.name}>
        <header>
          <div>
            <h3>{t("boards.scores", { name: decision.name })}</h3>
            <p class="board-about">{t("boards.scores.about")}</p>
          </div>
        </header>
        <section
          class="board-table scores"
          aria-label={t("boards.scores", { name: decision.name })}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">{t("boards.scores.version")}</th>
                <th scope="col" class="num">
                  {t("boards.scores.predicted")}
                </th>
                <th scope="col" class="num">
                  {t("boards.scores.known")}
                </th>
                <th scope="col" class="num">
                  {t("boards.scores.accuracy")}
                </th>
                <th scope="col">{t("boards.scores.class")}</th>
                <th scope="col" class="num">
                  {t("boards.scores.precision")}
                </th>
                <th scope="col" class="num">
                  {t("boards.scores.recall")}
                </th>
              </tr>
            </thead>
            <tbody>
              {decision.scores.map((s) => (
                <ScoreRows
                  key={s.version}
                  score={s}
                  name={versionName(s.version, business, naming)}
                />
              ))}
            </tbody>
          </table>
        </section>
      </article>
    </>
  );
}

function share(value: number | null): string {
  return value === null ? t("boards.none") : format(value, "share", language());
}

/** A version takes one row for each class. */
function ScoreRows({ score, name }: { readonly score: Score; readonly name: string }) {
  const classes = score.classes.length === 0 ? [undefined] : score.classes;
  const rows = classes.length;
  return (
    <>
      {classes.map((c, i) => (
        <tr key={c?.value ?? ""}>
          {i === 0 && (
            <>
              <th scope="row" rowSpan={rows}>
                {name}
              </th>
              <td class="num" rowSpan={rows}>
                {format(score.predicted, "count", language())}
              </td>
              <td class="num" rowSpan={rows}>
                {format(score.known, "count", language())}
              </td>
              <td class="num" rowSpan={rows}>
                <b>{share(score.accuracy)}</b>
              </td>
            </>
          )}
          <td>{c?.value ?? t("boards.none")}</td>
          <td class="num">{c === undefined ? t("boards.none") : share(c.precision)}</td>
          <td class="num">{c === undefined ? t("boards.none") : share(c.recall)}</td>
        </tr>
      ))}
    </>
  );
}
