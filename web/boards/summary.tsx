// The numbers of the whole range, above the charts of events.

import type { Board } from "../core/board.ts";
import type { Summary } from "../core/board-chart.ts";
import { summary } from "../core/board-chart.ts";
import { format } from "../core/board-format.ts";
import { language, t } from "../core/strings.ts";
import { runsAddress } from "./place.ts";

type Tile = {
  readonly id: keyof Summary;
  readonly tone?: (s: Summary) => string;
  readonly status?: string;
};

const TILES: readonly Tile[] = [
  { id: "started" },
  { id: "ended" },
  {
    id: "succeeded",
    status: "succeeded",
    tone: (s) => ((s.succeeded ?? 1) < 0.9 ? "bad" : "good"),
  },
  { id: "failed", status: "failed", tone: (s) => (s.failed > 0 ? "bad" : "") },
  { id: "retries" },
  { id: "dead", tone: (s) => (s.dead > 0 ? "bad" : "") },
];

export function SummaryStrip({
  board,
  workflow,
}: {
  readonly board: Board;
  readonly workflow: string;
}) {
  const s = summary(board);
  const from = board.times[0] ?? 0;
  const to = (board.times.at(-1) ?? 0) + board.step;
  return (
    <dl class="board-summary">
      {TILES.map(({ id, tone, status }) => {
        const value = s[id];
        const text =
          value === undefined
            ? t("boards.none")
            : format(value, id === "succeeded" ? "share" : "count", language());
        return (
          <div class="card" key={id} data-tile={id}>
            <dt>{t(`boards.sum.${id}`)}</dt>
            <dd class={`tn ${tone?.(s) ?? ""}`}>
              {status === undefined ? (
                text
              ) : (
                <a href={runsAddress({ status, workflow }, from, to)}>{text}</a>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
