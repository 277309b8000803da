// The open editor of an expression field: CodeMirror in a shadow root, whose
// styles are adopted sheets, so that the page's policy needs no inline style.

import type {
  CompletionContext,
  CompletionResult,
  Completion as Option,
} from "@codemirror/autocomplete";
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { setDiagnostics } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { Annotation, EditorState, RangeSetBuilder } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, keymap, placeholder, ViewPlugin } from "@codemirror/view";
import type { Completion, Completions } from "../../core/expr-complete.ts";
import type { Mode } from "../../core/expr-tokens.ts";
import { formOf, tokenize } from "../../core/expr-tokens.ts";
import { editorTheme } from "./theme.ts";

export type EditorOptions = {
  readonly source: string;
  readonly mode: Mode;
  readonly multiline: boolean;
  readonly label: string;
  readonly placeholder: string;
  readonly caret: number | undefined;
  readonly note: string;
  complete(before: string): Completions;
  change(text: string): void;
  /** back: the person wants to stay on the field. */
  closed(back: boolean): void;
};

export type OpenEditor = {
  /** Shows a text that came from elsewhere, unless it is there already. */
  show(text: string): void;
  mark(fault: { readonly message: string; readonly offset: number } | undefined): void;
  destroy(): void;
};

/** Marks a change that came from elsewhere: it is not told again. */
const fromElsewhere = Annotation.define<boolean>();

export function openEditor(host: HTMLElement, options: EditorOptions): OpenEditor {
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({ state: startState(options), root: shadow, parent: shadow });
  view.focus();
  if (options.source === "" && options.mode === "expr") startCompletion(view);
  return {
    show(text) {
      const now = view.state.doc.toString();
      if (now !== text && !view.composing)
        view.dispatch({
          changes: { from: 0, to: now.length, insert: text },
          annotations: fromElsewhere.of(true),
        });
    },
    mark(fault) {
      const length = view.state.doc.length;
      const from = Math.min(length, fault?.offset ?? 0);
      const marks = fault
        ? [
            {
              from,
              to: Math.min(length, Math.max(from + 1, from)),
              severity: "error" as const,
              message: fault.message,
            },
          ]
        : [];
      view.dispatch(setDiagnostics(view.state, marks));
    },
    destroy: () => view.destroy(),
  };
}

function startState(options: EditorOptions): EditorState {
  const caret = Math.min(options.source.length, options.caret ?? options.source.length);
  return EditorState.create({
    doc: options.source,
    selection: { anchor: caret },
    extensions: [
      history(),
      keys(options),
      colours(options.mode),
      closeBrackets(),
      autocompletion({
        override: [(context) => source(context, options)],
        icons: false,
        addToOptions: columns(),
        maxRenderedOptions: 60,
      }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        "aria-label": options.label,
        spellcheck: "false",
        autocapitalize: "off",
        autocorrect: "off",
      }),
      EditorView.updateListener.of((update) => {
        const own = update.transactions.some(
          (tr) => tr.docChanged && tr.annotation(fromElsewhere) !== true,
        );
        if (own) options.change(update.state.doc.toString());
      }),
      EditorView.domEventHandlers({
        beforeinput: (event, view) => typeOver(event, view),
        blur: (_, view) => {
          // A click into the list of completions is no farewell.
          setTimeout(() => {
            if (!view.hasFocus) options.closed(false);
          }, 0);
        },
      }),
      placeholder(options.placeholder),
      editorTheme,
      options.multiline ? [] : singleLine(),
    ],
  });
}

function keys(options: EditorOptions): Extension {
  return keymap.of([
    { key: "Tab", run: acceptCompletion },
    ...closeBracketsKeymap,
    ...completionKeymap,
    {
      key: "Escape",
      run: (view) => {
        if (completionStatus(view.state) !== null) return false;
        options.closed(true);
        return true;
      },
    },
    ...(options.multiline ? [] : [{ key: "Enter", run: () => true }]),
    ...historyKeymap,
    ...defaultKeymap,
  ]);
}

/**
 * Typing over a selection. The browser would carry the old colour over into a
 * style attribute, which the page's policy forbids, so the text goes in here.
 */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { main, ranges } = view.state.selection;
  const text = event.data;
  if (event.inputType !== "insertText" || !text || event.isComposing) return false;
  if (main.empty || ranges.length > 1) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: "input.type" });
  const handlers = view.state.facet(EditorView.inputHandler);
  const taken = handlers.some((handle) => handle(view, main.from, main.to, text, insert));
  if (!taken) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** Line ends that come with a paste become spaces. */
function singleLine(): Extension {
  return EditorState.transactionFilter.of((transaction) => {
    if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
    const text = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, " ");
    return {
      changes: { from: 0, to: transaction.startState.doc.length, insert: text },
      selection: { anchor: text.length },
    };
  });
}

function colours(mode: Mode): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = paint(view.state.doc.toString(), mode);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged) this.decorations = paint(update.state.doc.toString(), mode);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function paint(text: string, mode: Mode): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const token of tokenize(text, mode)) {
    if (token.kind !== "space" && token.kind !== "text")
      builder.add(token.from, token.to, Decoration.mark({ class: `x-${token.kind}` }));
  }
  return builder.finish();
}

/** Completions for where the caret is, when it is inside an expression. */
function source(context: CompletionContext, options: EditorOptions): CompletionResult | null {
  const before = context.state.sliceDoc(0, context.pos);
  const start = expressionStart(before, options.mode);
  if (start === undefined) return null;
  const { from, options: found } = options.complete(before.slice(start));
  const typed = context.pos - start - from;
  const afterDot = before[start + from - 1] === ".";
  if (found.length === 0 || (typed === 0 && !afterDot && !context.explicit)) return null;
  return { from: start + from, options: found.map(option), validFor: /^\w*$/ };
}

function expressionStart(before: string, mode: Mode): number | undefined {
  if (mode === "expr") return 0;
  if (mode === "value" && formOf(before) === "expression") return 1;
  if (mode === "json") {
    const open = before.lastIndexOf('"=');
    return open >= 0 && !before.slice(open + 2).includes('"') ? open + 2 : templateStart(before);
  }
  return mode === "value" ? templateStart(before) : undefined;
}

function templateStart(before: string): number | undefined {
  const open = before.lastIndexOf("{{");
  return open >= 0 && !before.slice(open).includes("}}") ? open + 2 : undefined;
}

const ranks: Readonly<Record<Completion["kind"], number>> = {
  key: 3,
  variable: 2,
  method: 1,
  function: 0,
  keyword: -1,
};

function option(
  found: Completion,
): Option & { readonly typeName: string; readonly sample: string } {
  return {
    label: found.label,
    apply: found.insert,
    boost: ranks[found.kind] * 10,
    typeName: found.type,
    sample: found.detail === "" ? found.doc : found.detail,
  };
}

/** Type and sample value stand beside the name, as in a table. */
function columns(): { render: (completion: Option) => Node; position: number }[] {
  const cell = (name: string, value: (o: Option) => unknown) => (completion: Option) => {
    const element = document.createElement("span");
    element.className = name;
    const text = value(completion);
    element.textContent = typeof text === "string" ? text : "";
    return element;
  };
  return [
    { render: cell("x-type", (o) => Reflect.get(o, "typeName")), position: 80 },
    { render: cell("x-sample", (o) => Reflect.get(o, "sample")), position: 90 },
  ];
}
