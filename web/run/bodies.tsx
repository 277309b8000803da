// The bodies of a container in the inspector: how many there are, and each a
// cell that leads to it.

import { t } from "../core/strings.ts";
import type { RunStore } from "./store.ts";

/** A larger container shows this many bodies, and tells how many there are. */
const CELLS_MAX = 500;

/** The bodies of a container, each a cell that leads to its last event. */
export function BodyGrid({ store, of }: { readonly store: RunStore; readonly of: string }) {
  store.version.value;
  const bodies = store.shown.value.bodies.get(of);
  if (bodies === undefined) return null;
  const go = (index: number) => {
    const upTo = store.cursor.value ?? store.trace.last;
    const e = store.trace.events
      .slice(0, upTo)
      .findLast((x) => x.type.startsWith("Body") && x.node === of && (x.index ?? 0) === index);
    if (e !== undefined) store.goTo(e.seq);
  };
  const facts = {
    done: bodies.done,
    of: bodies.count ?? bodies.states.length,
    failed: bodies.failed,
  };
  return (
    <section>
      <h3>{t(bodies.failed > 0 ? "run.items.failed" : "run.items", facts)}</h3>
      {bodies.runs === true ? <Runs store={store} running={bodies.running} /> : undefined}
      <ol class="side-bodies">
        {bodies.states.slice(0, CELLS_MAX).map((status, index) => (
          <li key={index} class={status}>
            <button
              type="button"
              aria-label={t("run.body.is", { n: index + 1, status: t(`run.body.${status}`) })}
              title={t("run.body.is", { n: index + 1, status: t(`run.body.${status}`) })}
              onClick={() => go(index)}
            >
              {index + 1}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Items that are runs of their own are found among the runs. */
function Runs({ store, running }: { readonly store: RunStore; readonly running: number }) {
  return (
    <p class="muted">
      {t("run.items.runs", { n: running })}{" "}
      <a href={`/runs?attribute=parent%3D${store.info.id}`}>{t("run.items.open")}</a>
    </p>
  );
}
