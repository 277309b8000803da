// An expression field. At rest it is coloured text; with the focus it becomes
// an editor, whose code is loaded only then.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { complete } from "../../core/expr-complete.ts";
import type { Mode } from "../../core/expr-tokens.ts";
import { useForm } from "../forms/context.ts";
import { t } from "../strings.ts";
import type { OpenEditor } from "./codemirror.ts";
import { takeExpressionFocus } from "./focus.ts";
import { ExprResult, useExprAnswer } from "./result.tsx";
import { Highlighted } from "./static.tsx";

export type ExprFieldProps = {
  readonly source: string;
  readonly mode: Mode;
  readonly label?: string;
  readonly labelledBy?: string;
  readonly describedBy?: string | undefined;
  readonly invalid: boolean;
  readonly placeholder?: string | undefined;
  readonly pointer: string;
  readonly multiline?: boolean;
  /** Show what it gives below. */
  readonly result?: boolean;
  change(source: string): void;
  /** Told when somebody begins and ends to write. */
  writing?(now: boolean): void;
};

/** Loads the editor's code; also called ahead of time. */
export function loadEditor(): Promise<typeof import("./codemirror.ts")> {
  return import("./codemirror.ts");
}

export function ExprField(props: ExprFieldProps) {
  const { source, mode, pointer, result = true } = props;
  const form = useForm();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [open, setOpen] = useState(false);
  const caret = useRef<number | undefined>(undefined);
  const rest = useRef<HTMLDivElement>(null);
  const quiet = useRef(false);
  const answer = useExprAnswer(source, mode, result);

  useLayoutEffect(() => {
    const at = open ? undefined : takeExpressionFocus(form, pointer);
    if (at === undefined) return;
    caret.current = at;
    setOpen(true);
  });

  // Not after the paint: whoever types on would type into nothing.
  useLayoutEffect(() => {
    if (!open) return undefined;
    let gone = false;
    host.current?.focus({ preventScroll: true });
    latest.current.writing?.(true);
    void loadEditor().then(({ openEditor }) => {
      if (gone || !host.current) return;
      editor.current = openEditor(host.current, {
        source: latest.current.source,
        mode: latest.current.mode,
        multiline: latest.current.multiline ?? false,
        label: latest.current.label ?? labelText(latest.current.labelledBy),
        placeholder: latest.current.placeholder ?? "",
        caret: caret.current,
        complete: (before) => complete(before, form.sample(), form.shapes()),
        change: (text) => latest.current.change(text),
        closed: (back) => {
          quiet.current = back;
          setOpen(false);
        },
        note: t("editor.expr.samples"),
      });
    });
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = undefined;
      latest.current.writing?.(false);
    };
  }, [open]);

  // At once, not after the paint: by then somebody may have typed on, and the
  // older text would take the newer one back.
  useLayoutEffect(() => editor.current?.show(source), [source]);
  useEffect(() => {
    editor.current?.mark(answer?.error);
  }, [answer]);

  // Escape leaves the editor and stays on the field.
  useLayoutEffect(() => {
    if (!open && quiet.current) rest.current?.focus();
  }, [open]);

  const begin = () => {
    if (quiet.current) {
      quiet.current = false;
      return;
    }
    if (form.readOnly || open) return;
    caret.current = undefined;
    setOpen(true);
  };
  // What is typed before the editor's code is there.
  const typeEarly = (event: KeyboardEvent) => {
    const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    const at = caret.current ?? source.length;
    const back = event.key === "Backspace" && at > 0;
    if (editor.current || event.isComposing || !(typed || back)) return;
    event.preventDefault();
    const before = source.slice(0, back ? at - 1 : at) + (typed ? event.key : "");
    caret.current = before.length;
    props.change(before + source.slice(at));
  };
  const shape = `ed-expr${props.multiline ? " many" : ""}${open ? " open" : ""}${props.invalid || answer?.error ? " bad" : ""}`;
  return (
    <div class={shape}>
      {open ? (
        <div class="ed-exprhost" ref={host} key="open" tabIndex={-1} onKeyDown={typeEarly} />
      ) : (
        <div
          key="rest"
          class="ed-exprrest"
          role="textbox"
          tabIndex={0}
          aria-label={props.label}
          aria-labelledby={props.labelledBy}
          aria-describedby={props.describedBy}
          aria-invalid={props.invalid || undefined}
          aria-multiline={props.multiline || undefined}
          aria-readonly={form.readOnly || undefined}
          data-placeholder={props.placeholder}
          ref={rest}
          onFocus={begin}
          onClick={begin}
          onKeyDown={(event) => {
            const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
            if (event.isComposing || !(typed || event.key === "Enter")) return;
            event.preventDefault();
            begin();
            if (!typed) return;
            caret.current = source.length + 1;
            props.change(source + event.key);
          }}
        >
          {source === "" ? (
            <span class="ph">{props.placeholder}</span>
          ) : (
            <Highlighted source={source} mode={mode} />
          )}
        </div>
      )}
      {result ? <ExprResult source={source} answer={answer} told={props.invalid} /> : null}
    </div>
  );
}

function labelText(id: string | undefined): string {
  return (id === undefined ? undefined : document.getElementById(id)?.textContent) ?? "";
}
