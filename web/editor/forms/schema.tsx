// What an input must look like, as a list of fields. The value is a JSON
// Schema; what the list cannot show is edited as that.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { inputFields, schemaOf } from "../../core/input-schema.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";
import { JSONControl, jsonFault } from "./code.tsx";
import { useForm } from "./context.ts";
import type { ControlProps } from "./control.ts";
import { SchemaFields } from "./schema-fields.tsx";

type View = "fields" | "json" | "example";

export function SchemaControl(props: ControlProps) {
  const { field, value } = props;
  const form = useForm();
  const [view, setView] = useState<View>("fields");
  const box = useRef<HTMLDivElement>(null);
  const shows = inputFields(value) !== undefined;
  // A fault in the schema is found where it can be seen.
  const json = view === "json" || !shows;
  const turn = (next: View) => {
    setView(next);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>("[role=textbox], textarea, .ed-addrow")?.focus(),
    );
  };
  return (
    <div class="ed-schema" ref={box}>
      {json ? <JSONControl {...props} /> : null}
      {shows ? null : <p class="hint">{t("editor.schema.jsonOnly")}</p>}
      {!json && view === "fields" ? (
        <SchemaFields value={value} set={(next, part) => set(form, field.pointer, next, part)} />
      ) : null}
      {view === "example" && !json ? (
        <FromExample
          count={inputFields(value)?.length ?? 0}
          sample={form.sample()["trigger"]}
          take={(next) => {
            form.setAlone(field.pointer, next);
            turn("fields");
          }}
          leave={() => turn("fields")}
        />
      ) : null}
      <Views view={json ? "json" : view} shows={shows} readOnly={form.readOnly} turn={turn} />
    </div>
  );
}

/** A schema that says nothing is none. */
function set(
  form: ReturnType<typeof useForm>,
  pointer: string,
  next: unknown,
  part: string | undefined,
): void {
  const nothing = JSON.stringify(next) === '{"type":"object","properties":{}}';
  if (part === undefined) form.setAlone(pointer, nothing ? undefined : next);
  else form.set(pointer, next, part);
}

function Views({
  view,
  shows,
  readOnly,
  turn,
}: {
  readonly view: View;
  readonly shows: boolean;
  readonly readOnly: boolean;
  turn(next: View): void;
}) {
  if (view === "example") return null;
  return (
    <div class="ed-schemaways">
      {view === "fields" && !readOnly ? (
        <button type="button" class="lnk" onClick={() => turn("example")}>
          <Icon name="wand-sparkles" />
          {t("editor.schema.example")}
        </button>
      ) : null}
      {view === "fields" ? (
        <button type="button" class="lnk" onClick={() => turn("json")}>
          <Icon name="braces" />
          {t(readOnly ? "editor.schema.seeJSON" : "editor.schema.json")}
        </button>
      ) : null}
      {view === "json" && shows ? (
        <button type="button" class="lnk" onClick={() => turn("fields")}>
          <Icon name="list" />
          {t("editor.schema.form")}
        </button>
      ) : null}
    </div>
  );
}

function FromExample({
  count,
  sample,
  take,
  leave,
}: {
  readonly count: number;
  readonly sample: unknown;
  take(schema: unknown): void;
  leave(): void;
}) {
  const id = useId();
  const last = isPlainObject(sample) ? JSON.stringify(sample, undefined, 2) : "";
  const [text, setText] = useState(last);
  const [fault, setFault] = useState<string>();
  useEffect(() => setFault(undefined), [text]);
  const make = () => {
    const broken = jsonFault(text);
    if (text.trim() === "" || broken !== undefined)
      return setFault(t("editor.form.badJSON", { fault: broken ?? "" }));
    const example: unknown = JSON.parse(text);
    if (!isPlainObject(example)) return setFault(t("editor.schema.notObject"));
    take(schemaOf(example));
  };
  return (
    <div class="ed-schemaexample">
      <label class="lab" for={id}>
        {t("editor.schema.paste")}
      </label>
      <textarea
        id={id}
        class="inp mono"
        rows={7}
        spellcheck={false}
        value={text}
        placeholder={'{"customer": "Ada", "total": 12.5}'}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={`${id}-about`}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.isComposing) return;
          event.preventDefault();
          leave();
        }}
      />
      <div id={`${id}-about`}>
        {fault === undefined ? (
          <p class="hint">
            {t(count > 0 ? "editor.schema.replaces" : "editor.schema.required", { n: count })}
          </p>
        ) : (
          <p class="err" role="alert">
            <Icon name="circle-alert" />
            <span>{fault}</span>
          </p>
        )}
      </div>
      <div class="row end">
        <button type="button" class="btn sm" onClick={leave}>
          {t("editor.cancel")}
        </button>
        <button type="button" class="btn pri sm" onClick={make}>
          {t("editor.schema.make")}
        </button>
      </div>
    </div>
  );
}

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
