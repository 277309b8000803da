// A chart as a table: the same numbers, the newest first, with the same ways to
// the runs.

import type { Mark } from "../core/board.ts";
import type { Chart } from "../core/board-chart.ts";
import { language, t } from "../core/strings.ts";
import { clock } from "./clock.ts";
import { valueText } from "./legend.tsx";
import { addressOf } from "./pick.ts";

type Shown = {
  readonly chart: Chart;
  readonly times: readonly number[];
  readonly step: number;
  readonly marks: readonly Mark[];
};

export function Table({ chart, times, step, marks }: Shown) {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const newest = times.map((_, i) => times.length - 1 - i);
  return (
    <section
      class="board-table"
      aria-label={t("boards.table.of", { name: chart.title })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t("boards.time")}</th>
            {chart.rows.map((row) => (
              <th scope="col" class="num" key={row.name}>
                {row.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.map((i) => (
            <tr key={times[i]}>
              <th scope="row" class="tn">
                {clock(times[i] ?? 0, step, span, language())}
                {marksIn(marks, times[i] ?? 0, step).map((m) => (
                  <span class="chip run" key={m.at}>
                    {markText(m)}
                  </span>
                ))}
              </th>
              {chart.rows.map((row) => {
                const to = addressOf(row, i, times, step);
                const text = valueText(chart, row.values[i]);
                return (
                  <td class="num" key={row.name}>
                    {to === undefined ? text : <a href={to}>{text}</a>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What was published in an interval, or next to it. */
export function marksIn(
  marks: readonly Mark[],
  from: number,
  step: number,
  slack = 0,
): readonly Mark[] {
  return marks.filter((m) => {
    const at = Date.parse(m.at) / 1000;
    return at >= from - slack && at < from + step + slack;
  });
}

export function markText(mark: Mark): string {
  return t("boards.mark.publish", { name: mark.name, version: mark.version });
}
