// The condition builder: rows instead of an expression, for those who would
// rather choose than write. Both show the same text.

import { useId, useState } from "preact/hooks";
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  conditionText,
  isAlone,
  pathsOf,
  type Row,
  readCondition,
} from "../../core/condition.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { useForm } from "./context.ts";

/** Fields that hold a condition, by their names in the catalogue. */
const names: ReadonlySet<string> = new Set(["condition", "when", "guard", "while"]);

export function isCondition(name: string): boolean {
  return names.has(name);
}

type Props = {
  readonly source: string;
  readonly label: string;
  change(source: string): void;
};

/** The rows, and the way to them and back. */
export function ConditionRows(props: Props) {
  const form = useForm();
  const [open, setOpen] = useState(false);
  const read = readCondition(props.source);
  if (form.readOnly) return null;
  return (
    <div class="ed-cond">
      <button
        type="button"
        class="lnk"
        aria-expanded={open}
        disabled={read === undefined}
        title={read === undefined ? t("editor.condition.toomuch") : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? "chevron-down" : "chevron-right"} />
        {t("editor.condition")}
      </button>
      {open && read !== undefined ? <Rows {...props} read={read} /> : null}
    </div>
  );
}

function Rows({ label, change, read }: Props & { readonly read: Condition }) {
  const form = useForm();
  const list = useId();
  // A row that is not begun has no text yet: it is kept here.
  const [shown, setShown] = useState<Condition>(read.rows.length > 0 ? read : started(read));
  const now = conditionText(shown) === conditionText(read) ? shown : read;
  const put = (next: Condition) => {
    setShown(next);
    const text = conditionText(next);
    if (text !== conditionText(read)) change(text);
  };
  const set = (i: number, row: Partial<Row>) =>
    put({ ...now, rows: now.rows.map((r, at) => (at === i ? { ...r, ...row } : r)) });
  return (
    <div class="ed-condrows" role="group" aria-label={label}>
      <datalist id={list}>
        {pathsOf(form.sample()).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {now.rows.length > 1 ? (
        <select
          class="sel"
          aria-label={t("editor.condition.join")}
          value={now.any ? "any" : "all"}
          onChange={(e) => put({ ...now, any: e.currentTarget.value === "any" })}
        >
          <option value="all">{t("editor.condition.all")}</option>
          <option value="any">{t("editor.condition.any")}</option>
        </select>
      ) : null}
      {now.rows.map((row, i) => (
        <div class="ed-condrow" key={i}>
          <input
            class="inp mono"
            list={list}
            autocomplete="off"
            spellcheck={false}
            aria-label={t("editor.condition.path", { n: i + 1 })}
            placeholder={t("editor.condition.example")}
            value={row.path}
            onInput={(e) => set(i, { path: e.currentTarget.value.trim() })}
          />
          <select
            class="sel"
            aria-label={t("editor.condition.how", { n: i + 1 })}
            value={row.how}
            onChange={(e) => set(i, { how: e.currentTarget.value as Comparison })}
          >
            {COMPARISONS.map((how) => (
              <option key={how} value={how}>
                {t(`editor.condition.${words[how]}`)}
              </option>
            ))}
          </select>
          {isAlone(row.how) ? (
            <span />
          ) : (
            <input
              class="inp mono"
              autocomplete="off"
              spellcheck={false}
              aria-label={t("editor.condition.value", { n: i + 1 })}
              placeholder="8"
              value={row.value}
              onInput={(e) => set(i, { value: e.currentTarget.value })}
            />
          )}
          <button
            type="button"
            class="btn ghost sm sq"
            aria-label={t("editor.condition.remove", { n: i + 1 })}
            onClick={() => put({ ...now, rows: now.rows.filter((_, at) => at !== i) })}
          >
            <Icon name="x" />
          </button>
        </div>
      ))}
      <button type="button" class="ed-addrow" onClick={() => put(started(now))}>
        <Icon name="plus" />
        {t("editor.condition.add")}
      </button>
    </div>
  );
}

const words = {
  "==": "is",
  "!=": "isnt",
  ">": "over",
  ">=": "least",
  "<": "under",
  "<=": "most",
  contains: "contains",
  startsWith: "starts",
  endsWith: "ends",
  has: "has",
  lacks: "lacks",
} as const satisfies Record<Comparison, string>;

function started(condition: Condition): Condition {
  return { ...condition, rows: [...condition.rows, { path: "", how: "==", value: "" }] };
}
