// What was measured, as a table and against what is asked.

const acts = {
  pan: "pan",
  panHalf: "pan at half size",
  panAll: "pan, everything in view",
  drag: "drag a step",
  status: "1,200 status changes/s",
  statusHalf: "the same at half size",
  statusAll: "the same, everything in view",
  zoom: "zoom",
};

/**
 * React Flow's processor time a frame is at least so many times ours: about
 * half of what was measured at 1,000 nodes. Rendering only what is in view it
 * is the cheaper one as long as that is little, so there nothing is asked.
 */
const floors = {
  reactFlow: { firstCpu: 5, pan: 2, panAll: 3.5, drag: 1, status: 1.8, statusAll: 3.3 },
  culled: { panAll: 3.5, statusAll: 3.3 },
};

const times = (a, b) => (b === undefined ? "" : `${(b / Math.max(0.1, a)).toFixed(1)}×`);
const line = (cells) => `| ${cells.join(" | ")} |\n`;

/** Frame time at p95, processor time a frame of the main thread and of the browser. */
function frame(m) {
  if (m === undefined) return "";
  return m.stuck ? "no end in 30 s" : `${m.p95} / ${m.cpu} / ${m.all} ms`;
}

export function table(run) {
  const { ours, reactFlow, culled } = run;
  const others = [reactFlow, culled].filter((m) => m !== undefined);
  const row = (name, show, value) =>
    line([name, ...[ours, ...others].map(show), ...others.map((m) => times(value(ours), value(m)))]);
  const where = `${run.nodes.toLocaleString("en")} nodes${run.drawing === "grouped" ? " in groups" : ""}`;
  const names = ["ours", "React Flow", "only what is in view", "ratio", "ratio"].slice(0, others.length * 2 + 1);
  return [
    `\n${where}: p95 frame / processor time a frame, main thread / whole browser\n\n`,
    line(["", ...names]),
    line(["---", ...names.map(() => "---")]),
    row("first paint: wall / processor time", (m) => `${m.firstPaint} / ${m.firstCpu} ms`, (m) => m.firstCpu),
    ...Object.entries(acts).map(([act, name]) => row(name, (m) => frame(m[act]), (m) => m[act]?.cpu)),
    row("heap", (m) => (m.heapMB === undefined ? "" : `${m.heapMB} MB`), (m) => m.heapMB),
    row("elements and texts", (m) => m.domNodes?.toLocaleString("en") ?? "", (m) => m.domNodes),
  ].join("");
}

/** What is asked and not met, and what is slow on this machine now. */
export function judge(report) {
  const missed = [];
  const slow = [];
  if (report.kernelGzip > 36_000) missed.push("size of the kernel");
  for (const r of report.runs) {
    const where = `${r.nodes}${r.drawing === "grouped" ? " in groups" : ""}`;
    if (r.ours.heapMB > 30) missed.push(`heap at ${where}`);
    for (const [act, name] of Object.entries(acts)) if (r.ours[act].p95 > 33) slow.push(`${name} at ${where}`);
    for (const [other, least] of Object.entries(floors)) {
      if (r[other] === undefined) continue;
      for (const [act, floor] of Object.entries(least)) {
        // A page that came to no end in one act was closed and did no more.
        if (r[other].stuck && r[other][act]?.cpu === undefined && act !== "firstCpu") continue;
        const [a, b] = act === "firstCpu" ? [r.ours.firstCpu, r[other].firstCpu] : [r.ours[act].cpu, r[other][act]?.cpu];
        if (b === undefined || b < floor * a) missed.push(`${act} at ${where}: ${times(a, b)} of ${other}, not ${floor}×`);
      }
    }
  }
  return { missed, slow };
}
