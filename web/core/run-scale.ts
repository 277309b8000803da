// From time to place on the timeline and back. Long idle stretches can be
// folded into a short zigzag.

export type Gap = { readonly from: number; readonly to: number; readonly x: number };

export type Scale = {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly gaps: readonly Gap[];
  readonly x: (time: number) => number;
  readonly time: (x: number) => number;
};

/** How wide a folded gap is. */
export const GAP_WIDTH = 48;

/** A gap that takes more than this share of the span is folded. */
const GAP_SHARE = 0.2;

type Piece = { readonly t0: number; readonly t1: number; readonly x0: number; readonly x1: number };

/** A scale over a span; idle: stretches that may be folded, in order. */
export function scaleOf(
  from: number,
  to: number,
  width: number,
  idle: readonly { readonly from: number; readonly to: number }[] = [],
): Scale {
  const span = Math.max(1, to - from);
  const folded = idle
    .map((g) => ({ from: Math.max(from, g.from), to: Math.min(to, g.to) }))
    .filter((g) => g.to - g.from > span * GAP_SHARE);
  const lost = folded.reduce((sum, g) => sum + g.to - g.from, 0);
  const room = Math.max(1, width - folded.length * GAP_WIDTH);
  const perMs = room / Math.max(1, span - lost);
  const pieces: Piece[] = [];
  const gaps: Gap[] = [];
  let t = from;
  let x = 0;
  const straight = (until: number) => {
    pieces.push({ t0: t, t1: until, x0: x, x1: x + (until - t) * perMs });
    x += (until - t) * perMs;
    t = until;
  };
  for (const gap of folded) {
    straight(gap.from);
    gaps.push({ ...gap, x });
    pieces.push({ t0: gap.from, t1: gap.to, x0: x, x1: x + GAP_WIDTH });
    x += GAP_WIDTH;
    t = gap.to;
  }
  straight(from + span);
  return {
    from,
    to: from + span,
    width,
    gaps,
    x: (time) => through(pieces, time, "t0", "t1", "x0", "x1"),
    time: (place) => through(pieces, place, "x0", "x1", "t0", "t1"),
  };
}

function through(
  pieces: readonly Piece[],
  value: number,
  a0: "t0" | "x0",
  a1: "t1" | "x1",
  b0: "t0" | "x0",
  b1: "t1" | "x1",
): number {
  const piece = pieces.find((p) => value <= p[a1]) ?? pieces.at(-1);
  if (piece === undefined) return 0;
  const length = piece[a1] - piece[a0];
  const share = length <= 0 ? 0 : (value - piece[a0]) / length;
  return piece[b0] + share * (piece[b1] - piece[b0]);
}

/** Stretches in which nothing was at work. */
export function idleOf(
  busy: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): readonly { readonly from: number; readonly to: number }[] {
  const out: { from: number; to: number }[] = [];
  let end = from;
  for (const b of [...busy].sort((a, z) => a.from - z.from)) {
    if (b.from > end) out.push({ from: end, to: b.from });
    end = Math.max(end, b.to);
  }
  if (to > end) out.push({ from: end, to });
  return out;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

/** Round distances from the start at which the axis has a mark. */
export function ticksOf(scale: Scale, origin: number, apart: number): readonly number[] {
  const inGaps = scale.gaps.reduce((sum, g) => sum + g.to - g.from, 0);
  const perPixel =
    (scale.to - scale.from - inGaps) / Math.max(1, scale.width - scale.gaps.length * GAP_WIDTH);
  const least = perPixel * apart;
  const step = STEPS.find((s) => s >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const out: number[] = [];
  const limit = Math.ceil(scale.width / Math.max(1, apart)) * 4;
  let t = Math.ceil((scale.from - origin) / step) * step;
  while (origin + t <= scale.to && out.length < limit) {
    const time = origin + t;
    const gap = scale.gaps.find((g) => time > g.from && time < g.to);
    if (gap === undefined) {
      out.push(t);
      t += step;
    } else {
      t = Math.ceil((gap.to - origin) / step) * step;
      if (t + origin <= gap.to) t += step;
    }
  }
  return out;
}

export type Bin = { count: number; failed: number };

/** Counts of events in columns of equal width; the list is in order of time. */
export function histogram(
  events: readonly { readonly at: number; readonly type: string }[],
  failed: (type: string) => boolean,
  from: number,
  to: number,
  columns: number,
): readonly Bin[] {
  const bins: Bin[] = Array.from({ length: Math.max(1, columns) }, () => ({ count: 0, failed: 0 }));
  const span = Math.max(1, to - from);
  for (const e of events) {
    const i = Math.min(
      bins.length - 1,
      Math.max(0, Math.floor(((e.at - from) / span) * bins.length)),
    );
    const bin = bins[i];
    if (bin === undefined) continue;
    bin.count += 1;
    if (failed(e.type)) bin.failed += 1;
  }
  return bins;
}
