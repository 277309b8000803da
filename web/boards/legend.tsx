// The rows of a chart with their values where the pointer is.

import type { Signal } from "@preact/signals";
import type { Chart, Row } from "../core/board-chart.ts";
import { format } from "../core/board-format.ts";
import { language, t } from "../core/strings.ts";

export function Swatch({ row, bar }: { readonly row: Row; readonly bar: boolean }) {
  return (
    <svg class={`swatch tone-${row.color}`} viewBox="0 0 16 8" aria-hidden="true">
      {bar ? (
        <rect x="3" y="0" width="9" height="8" rx="2" />
      ) : (
        <line x1="0" y1="4" x2="16" y2="4" stroke-dasharray={(row.dash ?? []).join(" ")} />
      )}
    </svg>
  );
}

/** A value in words; none is said to be none. */
export function valueText(chart: Chart, value: number | null | undefined): string {
  return typeof value === "number" ? format(value, chart.unit, language()) : t("boards.none");
}

export function Legend({
  chart,
  at,
}: {
  readonly chart: Chart;
  readonly at: Signal<number | undefined>;
}) {
  const interval = at.value;
  return (
    <ul class="board-legend">
      {chart.rows.map((row) => (
        <li key={row.name}>
          <Swatch row={row} bar={chart.drawn === "bars"} />
          <span class="clip">{row.name}</span>
          {interval !== undefined && <b class="tn">{valueText(chart, row.values[interval])}</b>}
        </li>
      ))}
    </ul>
  );
}
