// Before publishing: what the cases of the workflow come to with the draft.

import { useEffect, useState } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import type { CaseReport } from "../net/api.ts";
import { t } from "../strings.ts";

type Played = {
  readonly report: CaseReport | undefined;
  readonly busy: boolean;
  readonly fault: string | undefined;
};

/** Plays the draft on the cases as soon as all edits are saved. */
export function useRehearsal(wanted: boolean): Played {
  const editor = useEditor();
  const [played, set] = useState<Played>({ report: undefined, busy: wanted, fault: undefined });
  useEffect(() => {
    if (!wanted) return undefined;
    let asked = true;
    set({ report: undefined, busy: true, fault: undefined });
    const answer = (next: Partial<Played>) => {
      if (asked) set({ report: undefined, busy: false, fault: undefined, ...next });
    };
    editor
      .settled()
      .then(() => editor.api.rehearse())
      .then(
        (report) => answer({ report }),
        (fault: unknown) => answer({ fault: fault instanceof Error ? fault.message : "" }),
      );
    return () => {
      asked = false;
    };
  }, [editor, wanted]);
  return played;
}

/** How many cases are listed; the page of cases has them all. */
const LISTED = 4;

export function Rehearsal({ of, workflow }: { readonly of: Played; readonly workflow: string }) {
  const { report, busy, fault } = of;
  if (busy)
    return (
      <p class="note" role="status">
        <span class="spin" />
        <span>{t("editor.cases.playing")}</span>
      </p>
    );
  if (fault !== undefined)
    return (
      <p class="note warn" role="status">
        <Icon name="triangle-alert" />
        <span>{t("editor.cases.fault", { reason: fault })}</span>
      </p>
    );
  if (report === undefined || report.cases.length === 0) return null;
  const all = report.cases.length;
  const faults = report.cases.filter((c) => c.verdict !== "same" && !c.accepted);
  if (faults.length === 0)
    return (
      <p class="note ok" role="status">
        <Icon name="check" />
        <span>{t("editor.cases.ok", { n: all })}</span>
      </p>
    );
  return (
    <section class="ed-cases" aria-labelledby="ed-cases-h">
      <p class="note warn" role="status">
        <Icon name="triangle-alert" />
        <b id="ed-cases-h">{t("editor.cases.faults", { n: faults.length, of: all })}</b>
      </p>
      <ul>
        {faults.slice(0, LISTED).map((c) => (
          <li key={c.case.id}>
            <b class="clip">{c.case.name}</b>
            <span>{words(c)}</span>
            <a href={c.compare} target="_blank" rel="noopener">
              {t("editor.cases.compare")}
              <span class="sr">{c.case.name}</span>
            </a>
          </li>
        ))}
      </ul>
      {faults.length > LISTED ? (
        <a href={`/w/${encodeURIComponent(workflow)}/cases`} target="_blank" rel="noopener">
          {t("editor.cases.all", { n: faults.length - LISTED })}
        </a>
      ) : null}
    </section>
  );
}

/** Where a case stopped, or what differs first. */
function words(c: CaseReport["cases"][number]): string {
  if (c.stopped !== undefined)
    return t(`editor.cases.stop.${c.stopped.why}`, { step: c.stopped.node ?? "" });
  const [first, ...others] = c.differences.filter((d) => d.counts);
  if (first === undefined || first.what === "new" || first.what === "gone" || first.what === "data")
    return "";
  const what = t(`editor.cases.what.${first.what}`, { step: first.node ?? "" });
  return others.length === 0 ? what : t("editor.cases.and", { what, n: others.length });
}
