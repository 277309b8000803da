// What the boards show: which tab, which range of time, which workflow.

import { useState } from "preact/hooks";
import { lengthOf } from "../core/board-format.ts";
import { language, t } from "../core/strings.ts";
import { Icon } from "./icon.tsx";
import type { Place, Range, Tab } from "./place.ts";
import { placeAddress, RANGES, TABS } from "./place.ts";
import type { BoardStore } from "./store.ts";

const ICONS: Readonly<Record<Tab, string>> = {
  infrastructure: "network",
  events: "activity",
  business: "target",
};

/** A link that stays on the page. */
function go(store: BoardStore, change: Partial<Place>) {
  return {
    href: placeAddress({ ...store.place.value, ...change }),
    onClick: (e: MouseEvent) => {
      if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      store.go(change);
    },
  };
}

export function Toolbar({ store }: { readonly store: BoardStore }) {
  const { tab } = store.place.value;
  return (
    <div class="board-tools">
      <nav class="seg" aria-label={t("boards.tabs")}>
        {TABS.map((one) => (
          <a key={one} {...go(store, { tab: one })} aria-current={one === tab ? "page" : undefined}>
            <Icon name={ICONS[one]} />
            {t(`boards.tab.${one}`)}
          </a>
        ))}
      </nav>
      <div class="row end">
        {tab !== "infrastructure" && <Workflows store={store} />}
        <Ranges store={store} />
        <Live store={store} />
      </div>
    </div>
  );
}

function Workflows({ store }: { readonly store: BoardStore }) {
  const { workflow } = store.place.value;
  const list = store.props.workflows;
  return (
    <select
      class="sel"
      aria-label={t("boards.workflow")}
      value={workflow}
      onChange={(e) => store.go({ workflow: e.currentTarget.value })}
    >
      <option value="">{t("boards.workflow.all")}</option>
      {workflow !== "" && !list.some((w) => w.id === workflow) && (
        <option value={workflow}>{workflow}</option>
      )}
      {list.map((w) => (
        <option key={w.id} value={w.id}>
          {w.name}
        </option>
      ))}
    </select>
  );
}

function rangeName(last: string): string {
  const hours = lengthOf(last) / 3600;
  if (hours < 1) return t("boards.range.minutes", { n: hours * 60 });
  return hours > 48
    ? t("boards.range.days", { n: hours / 24 })
    : t("boards.range.hours", { n: hours });
}

function Ranges({ store }: { readonly store: BoardStore }) {
  const { range } = store.place.value;
  const chosen = (last: string) => range.is === "last" && range.last === last;
  return (
    <>
      <nav class="seg" aria-label={t("boards.range")}>
        {RANGES.map((last) => (
          <a
            key={last}
            {...go(store, { range: { is: "last", last } })}
            aria-current={chosen(last) ? "true" : undefined}
          >
            {rangeName(last)}
          </a>
        ))}
      </nav>
      <Custom store={store} range={range} />
    </>
  );
}

/** A moment as a field for local time has it. */
function local(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Custom({ store, range }: { readonly store: BoardStore; readonly range: Range }) {
  const [wrong, setWrong] = useState(false);
  const shown = store.shown.value?.answer;
  const ends =
    range.is === "between"
      ? { from: range.from, to: range.to }
      : { from: shown?.times[0] ?? 0, to: Date.parse(shown?.now ?? "") / 1000 || 0 };
  const apply = (e: SubmitEvent) => {
    e.preventDefault();
    const form = e.currentTarget as HTMLFormElement;
    const at = (name: string) =>
      new Date((form.elements.namedItem(name) as HTMLInputElement).value).getTime() / 1000;
    const [from, to] = [at("from"), at("to")];
    setWrong(!(to - from >= 60));
    if (!(to - from >= 60)) return;
    form.closest("details")?.removeAttribute("open");
    store.go({ range: { is: "between", from, to } });
  };
  const field = (name: "from" | "to") => (
    <div class="fld">
      <label for={`range-${name}`}>{t(`boards.${name}`)}</label>
      <input
        class="inp"
        id={`range-${name}`}
        name={name}
        type="datetime-local"
        required
        key={ends[name]}
        defaultValue={local(ends[name])}
        aria-invalid={wrong}
      />
    </div>
  );
  return (
    <details class="drop">
      <summary class={range.is === "between" ? "btn sm chosen" : "btn sm"}>
        <Icon name="clock" />
        {range.is === "between" ? spanName(range) : t("boards.range.custom")}
      </summary>
      <form class="pop board-custom" onSubmit={apply}>
        {field("from")}
        {field("to")}
        {wrong && (
          <p class="err" role="alert">
            {t("boards.range.wrong")}
          </p>
        )}
        <button type="submit" class="btn pri">
          {t("boards.range.apply")}
        </button>
      </form>
    </details>
  );
}

function spanName(range: { readonly from: number; readonly to: number }): string {
  return new Intl.DateTimeFormat(language(), {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatRange(new Date(range.from * 1000), new Date(range.to * 1000));
}

function Live({ store }: { readonly store: BoardStore }) {
  const stands = store.place.value.range.is === "between";
  const live = store.live.value && !stands;
  return (
    <button
      type="button"
      class={live ? "btn sm live on" : "btn sm live"}
      aria-pressed={live}
      disabled={stands}
      title={t(stands ? "boards.live.stands" : "boards.live.title")}
      onClick={() => store.setLive(!store.live.value)}
    >
      <span class="lamp" aria-hidden="true" />
      {t("boards.live")}
    </button>
  );
}
