// What people can do about a run that goes on: answer it, hold it, undo it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { COMPENSATE } from "../core/graph.ts";
import type { Ask } from "../core/run-asks.ts";
import { openAsks } from "../core/run-asks.ts";
import { t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import { at, call, message } from "./net.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

async function act(store: RunStore, path: string, body: unknown): Promise<void> {
  try {
    await call("POST", `/api/runs/${store.info.id}/${path}`, body);
  } catch (fault) {
    toast(message(fault), "fail");
  }
}

/** Hold the run or let it go on; undo it, where something can be undone. */
export function Hold({ store }: { readonly store: RunStore }) {
  const paused = store.status.value === "paused";
  const undoes = store.graph.edges.some((e) => e.port === COMPENSATE);
  return (
    <>
      {undoes && store.status.value !== "compensating" ? (
        <button type="button" class="btn" onClick={() => void act(store, "rollback", {})}>
          <Icon name="undo-2" />
          <span class="wide-only">{t("run.act.rollback")}</span>
        </button>
      ) : undefined}
      <button
        type="button"
        class="btn"
        onClick={() => void act(store, paused ? "resume" : "pause", {})}
      >
        <Icon name={paused ? "play" : "pause"} />
        <span class="wide-only">{t(paused ? "run.act.resume" : "run.act.pause")}</span>
      </button>
    </>
  );
}

/** The questions that the run waits with. */
export function Asks({ store }: { readonly store: RunStore }) {
  store.version.value;
  if (!store.info.operates || store.cursor.value !== undefined) return null;
  return (
    <>
      {openAsks(store.trace.events).map((ask) => (
        <Question key={ask.seq} store={store} ask={ask} />
      ))}
    </>
  );
}

type Choice = { readonly name: string; readonly title: string };

function Question({ store, ask }: { readonly store: RunStore; readonly ask: Ask }) {
  const node = store.graph.nodes.find((n) => n.key === ask.node);
  const title = useSignal((node && store.graph.layout.nodes?.[node.id]?.title) || ask.node);
  const fields = useSignal<Readonly<Record<string, string | number | boolean>>>({});
  useEffect(() => {
    if (ask.kind !== "human") return;
    void call("GET", `/api/runs/${store.info.id}/events/${ask.seq}`).then(
      (e) => {
        const said = at(e, "data", "config", "title");
        if (typeof said === "string" && said !== "") title.value = said;
      },
      () => undefined,
    );
  }, [store, ask.seq, ask.kind, title]);
  const place = { node: ask.node, scope: ask.scope, visit: ask.visit };
  const choose = (name: string) =>
    ask.kind === "attention"
      ? act(store, "resolve", { ...place, action: name })
      : act(store, "decide", { ...place, port: name, ...entered(fields.value) });
  return (
    <section class="banner" aria-label={title.value}>
      <Icon name={ask.kind === "attention" ? "triangle-alert" : "user-check"} />
      <span>
        {ask.kind === "attention" ? t("run.act.attention", { step: title.value }) : title.value}
      </span>
      {listOf(node?.config?.["fields"]).map((f) => (
        <Field
          key={f.name}
          field={f}
          set={(v) => (fields.value = { ...fields.value, [f.name]: v })}
        />
      ))}
      {choicesOf(ask, node?.config?.["decisions"]).map((c) => (
        <button key={c.name} type="button" class="btn sm" onClick={() => void choose(c.name)}>
          {c.title}
        </button>
      ))}
    </section>
  );
}

/** What was entered; where nothing is asked for, the step hands its input on. */
function entered(value: Readonly<Record<string, unknown>>) {
  return Object.keys(value).length === 0 ? {} : { value };
}

function choicesOf(ask: Ask, decisions: unknown): readonly Choice[] {
  switch (ask.kind) {
    case "attention":
      return ["retry", "skip", "complete"].map((name) => ({ name, title: t(`run.act.${name}`) }));
    case "callback":
      return [{ name: "success", title: t("run.act.answer") }];
    default:
      return listOf(decisions);
  }
}

type Named = Choice & { readonly type: string };

/** Rows of the configuration: decisions are named by port, fields by name. */
function listOf(rows: unknown): readonly Named[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const name = at(row, "port") ?? at(row, "name");
    const title = at(row, "title");
    const type = at(row, "type");
    if (typeof name !== "string") return [];
    return [
      {
        name,
        title: typeof title === "string" && title !== "" ? title : name,
        type: typeof type === "string" ? type : "text",
      },
    ];
  });
}

function Field({
  field,
  set,
}: {
  readonly field: Named;
  readonly set: (v: string | number | boolean) => void;
}) {
  const id = `ask-${field.name}`;
  return (
    <>
      <label for={id}>{field.title}</label>
      <Entry id={id} type={field.type} set={set} />
    </>
  );
}

function Entry({
  id,
  type,
  set,
}: {
  readonly id: string;
  readonly type: string;
  readonly set: (v: string | number | boolean) => void;
}) {
  switch (type) {
    case "yes_no":
      return <input id={id} type="checkbox" onInput={(e) => set(e.currentTarget.checked)} />;
    case "number":
      return (
        <input
          id={id}
          type="number"
          class="inp"
          onInput={(e) => set(e.currentTarget.valueAsNumber)}
        />
      );
    default:
      return <input id={id} class="inp" onInput={(e) => set(e.currentTarget.value)} />;
  }
}
