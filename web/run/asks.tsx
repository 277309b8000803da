// What a run waits for that a person decides, in a strip below the drawing: it
// takes room of its own, so that it never covers a step.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Ask } from "../core/run-asks.ts";
import { openAsks } from "../core/run-asks.ts";
import { t } from "../core/strings.ts";
import { act } from "./acts.tsx";
import { Icon } from "./icon.tsx";
import { at, call } from "./net.ts";
import type { RunStore } from "./store.ts";

/** The questions that the run waits with. */
export function Asks({ store }: { readonly store: RunStore }) {
  store.version.value;
  if (store.cursor.value !== undefined) return null;
  const open = openAsks(store.trace.events);
  if (open.length === 0) return null;
  return (
    <div class="asks">
      {open.map((ask) => (
        <Question key={ask.seq} store={store} ask={ask} />
      ))}
    </div>
  );
}

type Choice = { readonly name: string; readonly title: string };

function Question({ store, ask }: { readonly store: RunStore; readonly ask: Ask }) {
  const node = store.graph.nodes.find((n) => n.key === ask.node);
  const step = (node && store.graph.layout.nodes?.[node.id]?.title) || ask.node;
  // As the step asked it, with its expressions resolved; until that is here, as it is drawn.
  const said = useSignal<unknown>(undefined);
  const fields = useSignal<Readonly<Record<string, string | number | boolean>>>({});
  useEffect(() => {
    if (ask.kind !== "human") return;
    void call("GET", `/api/runs/${store.info.id}/events/${ask.seq}`).then(
      (e) => {
        said.value = at(e, "data", "config");
      },
      () => undefined,
    );
  }, [store, ask.seq, ask.kind, said]);
  const of = (name: string) => at(said.value, name) ?? node?.config?.[name];
  const asked = at(said.value, "title");
  const title = typeof asked === "string" && asked !== "" ? asked : step;
  const text = at(said.value, "text");
  const people = names(at(said.value, "assignees"));
  const place = { node: ask.node, scope: ask.scope, visit: ask.visit };
  const choose = (name: string) =>
    ask.kind === "attention"
      ? act(store, "resolve", { ...place, action: name })
      : act(store, "decide", { ...place, port: name, ...entered(fields.value) });
  return (
    <section class="ask" aria-label={title}>
      <Icon name={ask.kind === "attention" ? "triangle-alert" : "user-check"} />
      <div class="ask-words">
        <h3>{ask.kind === "attention" ? t("run.act.attention", { step: title }) : title}</h3>
        {typeof text === "string" && text !== "" ? <p>{text}</p> : undefined}
        {people === "" ? undefined : <p class="muted">{t("run.act.for", { people })}</p>}
      </div>
      <div class="ask-fields">
        {listOf(of("fields")).map((f) => (
          <Field
            key={f.name}
            field={f}
            set={(v) => (fields.value = { ...fields.value, [f.name]: v })}
          />
        ))}
      </div>
      <div class="ask-ways">
        {choicesOf(ask, of("decisions")).map((c) => (
          <button key={c.name} type="button" class="btn" onClick={() => void choose(c.name)}>
            {c.title}
          </button>
        ))}
      </div>
    </section>
  );
}

function names(list: unknown): string {
  return Array.isArray(list)
    ? list.filter((n) => typeof n === "string" && n !== "").join(", ")
    : "";
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
    <div class="fld">
      <label for={id}>{field.title}</label>
      <Entry id={id} type={field.type} set={set} />
    </div>
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
