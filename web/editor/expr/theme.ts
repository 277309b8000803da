// How the open editor looks: as the field at rest, in the page's own colours
// (custom properties reach into a shadow root).

import { EditorView } from "@codemirror/view";

export const editorTheme = EditorView.theme({
  "&": { fontSize: "12px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "18px",
    overflow: "auto",
    maxHeight: "360px",
  },
  ".cm-content": { padding: "7px 0", caretColor: "var(--brand)", minHeight: "32px" },
  ".cm-line": { padding: "0 10px" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-cursor": { borderLeftColor: "var(--brand)", borderLeftWidth: "1.5px" },
  ".x-root, .x-keyword": { color: "var(--c-ai)", fontWeight: "500" },
  ".x-number": { color: "var(--c-trigger)" },
  ".x-string": { color: "var(--c-http)" },
  ".x-operator, .x-bracket": { color: "var(--ink-3)" },
  ".x-call": { color: "var(--c-queue)" },
  ".x-mark": { color: "var(--brand)", fontWeight: "600" },
  ".x-wrong, .cm-lintRange-error": {
    textDecoration: "underline wavy var(--fail) 1px",
    textUnderlineOffset: "3px",
    backgroundImage: "none",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-2)",
    borderRadius: "10px",
    boxShadow: "var(--shadow-2)",
    overflow: "hidden",
    zIndex: "40",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "12px",
    maxHeight: "240px",
    minWidth: "300px",
    maxWidth: "min(420px, 92vw)",
    padding: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "grid",
    gridTemplateColumns: "minmax(96px, auto) 52px 1fr",
    gap: "8px",
    alignItems: "center",
    minHeight: "28px",
    padding: "0 8px",
    borderRadius: "6px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--brand-soft)",
    color: "var(--ink)",
  },
  ".cm-completionLabel": { fontWeight: "600" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--brand)" },
  ".x-type": { color: "var(--ink-3)", fontSize: "11px" },
  ".x-sample": {
    color: "var(--ink-3)",
    fontSize: "11px",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
  },
  ".cm-tooltip-lint": { padding: "4px 8px", fontSize: "12px", fontFamily: "var(--font-ui)" },
  ".cm-diagnostic": { padding: "0", border: "0" },
});
