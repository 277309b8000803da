// The fields of an object, one below the other; those inside one of them take
// their place when it is opened.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { InputField, Sort } from "../../core/input-schema.ts";
import {
  inputFields,
  isClosed,
  schemaAt,
  sorts,
  withAbout,
  withChoices,
  withClosed,
  withItems,
  withName,
  withNewField,
  withoutField,
  withRequired,
  withSchemaAt,
  withSort,
} from "../../core/input-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { useForm } from "./context.ts";

/** Sets the whole schema; changes of the same part, one after the other, are one step of undo. */
type Set = (next: unknown, part?: string) => void;

export function SchemaFields({ value, set }: { readonly value: unknown; readonly set: Set }) {
  const form = useForm();
  const [path, setPath] = useState<readonly string[]>([]);
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | undefined>(undefined); // the field whose name takes the focus
  // Somebody else may have removed what is open.
  const open = inputFields(schemaAt(value, path)) === undefined ? [] : path;
  const level = schemaAt(value, open);
  const fields = inputFields(level) ?? [];
  const setLevel: Set = (next, part) =>
    set(
      withSchemaAt(value, open, next as Record<string, unknown>),
      part === undefined ? undefined : `/${[...open, part].join("/")}`,
    );
  useEffect(() => {
    const name = wanted.current;
    if (name === undefined) return;
    const inputs = [...(box.current?.querySelectorAll<HTMLInputElement>(".ed-sname") ?? [])];
    const input = inputs[fields.findIndex((f) => f.name === name)];
    const target = input ?? (name === "" ? box.current?.querySelector("button") : undefined);
    if (!target) return; // it comes with a later change
    wanted.current = undefined;
    target.focus();
    input?.select();
  });
  const go = (next: readonly string[]) => {
    wanted.current = "";
    setPath(next);
  };
  const add = () => {
    const made = withNewField(level);
    wanted.current = made.name;
    setLevel(made.schema);
  };
  return (
    <div class="ed-sfields" ref={box}>
      {open.length > 0 ? <Path path={open} go={go} /> : null}
      {fields.length === 0 ? (
        <p class="hint">{t(open.length > 0 ? "editor.schema.noneInside" : "editor.schema.none")}</p>
      ) : (
        <ul aria-label={open.at(-1) ?? t("editor.schema.fields")}>
          {fields.map((field, i) => (
            <Row
              key={i}
              field={field}
              level={level}
              taken={(name) => fields.some((f, at) => at !== i && f.name === name)}
              set={setLevel}
              enter={() => go([...open, field.name])}
              remove={() => {
                wanted.current = fields[i + 1]?.name ?? fields[i - 1]?.name ?? "";
                setLevel(withoutField(level, field.name));
              }}
            />
          ))}
        </ul>
      )}
      <button type="button" class="ed-addrow" disabled={form.readOnly} onClick={add}>
        <Icon name="plus" />
        {t("editor.schema.add")}
      </button>
      {fields.length > 0 ? (
        <label class="ed-scheck">
          <input
            type="checkbox"
            checked={isClosed(level)}
            disabled={form.readOnly}
            onChange={(event) => setLevel(withClosed(level, event.currentTarget.checked))}
          />
          {t("editor.schema.closed")}
        </label>
      ) : null}
    </div>
  );
}

/** Where one is, and the way back. */
function Path({
  path,
  go,
}: {
  readonly path: readonly string[];
  go(next: readonly string[]): void;
}) {
  return (
    <nav class="ed-spath" aria-label={t("editor.schema.path")}>
      <button type="button" class="lnk" onClick={() => go([])}>
        <Icon name="arrow-left" />
        {t("editor.schema.all")}
      </button>
      {path.map((name, i) => (
        <span key={i}>
          <Icon name="chevron-right" />
          {i === path.length - 1 ? (
            <code aria-current="location">{name}</code>
          ) : (
            <button type="button" class="lnk" onClick={() => go(path.slice(0, i + 1))}>
              <code>{name}</code>
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

type RowProps = {
  readonly field: InputField;
  readonly level: unknown;
  readonly set: Set;
  taken(name: string): boolean;
  enter(): void;
  remove(): void;
};

function Row({ field, level, set, taken, enter, remove }: RowProps) {
  const form = useForm();
  const { name } = field;
  return (
    <li class="ed-sfield">
      <div class="ed-shead">
        <NameInput
          name={name}
          taken={taken}
          rename={(to) => set(withName(level, name, to))}
          readOnly={form.readOnly}
        />
        <SortSelect
          label={t("editor.schema.sortOf", { name })}
          sort={field.sort}
          choose={(sort) => set(withSort(level, name, sort))}
        />
        <button
          type="button"
          class="btn ghost sm sq"
          disabled={form.readOnly}
          aria-label={t("editor.form.removeRow", { name })}
          onClick={remove}
        >
          <Icon name="x" />
        </button>
      </div>
      {field.sort === "array" ? (
        <div class="ed-sitems">
          <span>{t("editor.schema.of")}</span>
          <SortSelect
            label={t("editor.schema.itemsOf", { name })}
            sort={field.items ?? "any"}
            choose={(sort) => set(withItems(level, name, sort))}
          />
        </div>
      ) : null}
      <input
        class="inp"
        type="text"
        autocomplete="off"
        maxLength={400}
        aria-label={t("editor.schema.aboutOf", { name })}
        placeholder={t("editor.schema.about")}
        value={field.about}
        readOnly={form.readOnly}
        onInput={(event) =>
          set(withAbout(level, name, event.currentTarget.value), `${name}/description`)
        }
      />
      {field.sort === "string" ? <Choices field={field} level={level} set={set} /> : null}
      <div class="ed-sfoot">
        <label class="ed-scheck">
          <input
            type="checkbox"
            checked={field.required}
            disabled={form.readOnly}
            aria-label={t("editor.schema.mustOf", { name })}
            onChange={(event) => set(withRequired(level, name, event.currentTarget.checked))}
          />
          {t("editor.schema.must")}
        </label>
        {field.inside === undefined ? null : (
          <button type="button" class="lnk" onClick={enter}>
            {t("editor.schema.inside", { n: field.inside })}
            <span class="sr">{t("editor.schema.ofField", { name })}</span>
            <Icon name="chevron-right" />
          </button>
        )}
      </div>
      {field.rules.length > 0 ? (
        <p class="hint">{t("editor.schema.rules", { rules: field.rules.join(", ") })}</p>
      ) : null}
    </li>
  );
}

function SortSelect({
  label,
  sort,
  choose,
}: {
  readonly label: string;
  readonly sort: Sort;
  choose(sort: Sort): void;
}) {
  const form = useForm();
  return (
    <select
      class="sel"
      aria-label={label}
      value={sort}
      disabled={form.readOnly}
      onChange={(event) => choose(event.currentTarget.value as Sort)}
    >
      {(sort === "other" ? [sort, ...sorts] : sorts).map((one) => (
        <option key={one} value={one}>
          {t(`editor.schema.sort.${one}`)}
        </option>
      ))}
    </select>
  );
}

/** A field's name: it takes effect on leaving it. */
function NameInput({
  name,
  readOnly,
  taken,
  rename,
}: {
  readonly name: string;
  readonly readOnly: boolean;
  taken(name: string): boolean;
  rename(to: string): void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const text = typed ?? name;
  const fault = nameFault(text, taken);
  const commit = () => {
    if (typed !== undefined && fault === undefined && typed !== name) rename(typed);
    setTyped(undefined);
  };
  return (
    <span class="ed-snamebox">
      <input
        class="inp mono ed-sname"
        type="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        aria-label={t("editor.schema.nameOf", { name })}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : id}
        value={text}
        readOnly={readOnly}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") commit();
          if (event.key === "Escape" && typed !== undefined) {
            event.preventDefault();
            setTyped(undefined);
          }
        }}
      />
      {fault === undefined ? null : (
        <span class="err" id={id} role="alert">
          {t(fault)}
        </span>
      )}
    </span>
  );
}

function nameFault(text: string, taken: (name: string) => boolean) {
  if (text.trim() === "") return "editor.schema.noName";
  return taken(text) ? "editor.schema.taken" : undefined;
}

/** What a text may be, one a line. */
function Choices({
  field,
  level,
  set,
}: {
  readonly field: InputField;
  readonly level: unknown;
  readonly set: Set;
}) {
  const form = useForm();
  const id = useId();
  const given = field.choices.join("\n");
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (open) box.current?.focus();
  }, [open]);
  const text = typed ?? given;
  if (text === "" && !open) {
    return form.readOnly ? null : (
      <button type="button" class="lnk" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        {t("editor.schema.addChoices")}
        <span class="sr"> {t("editor.schema.ofField", { name: field.name })}</span>
      </button>
    );
  }
  return (
    <div class="ed-schoices">
      <label for={id}>
        {t("editor.schema.choices")}
        <span class="sr"> {t("editor.schema.ofField", { name: field.name })}</span>
      </label>
      <textarea
        id={id}
        class="inp"
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        spellcheck={false}
        ref={box}
        value={text}
        readOnly={form.readOnly}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setTyped(next);
          set(withChoices(level, field.name, linesOf(next)), `${field.name}/enum`);
        }}
        onBlur={() => {
          setTyped(undefined);
          setOpen(false);
        }}
      />
    </div>
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
