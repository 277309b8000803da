// What the parts of the editor share: the session's state. The document
// itself lives in the kernel's drawing; `revision` says that it changed.

import { signal } from "@preact/signals";
import type { Point } from "../../core/geometry.ts";
import type { Issue, Spec } from "../../core/graph.ts";
import type { SaveState } from "../../core/sync.ts";
import type { TaskType } from "../../core/task-type.ts";
import type { Selection, ToolName } from "../../kernel/api.ts";
import type { Credential, Samples, Workflow } from "../net/api.ts";
import type { Proposal } from "../propose/propose.ts";
import type { Snippet } from "../snippets/snippets.ts";
import type { Talk } from "../talk/talk.ts";
import type { TestRun } from "../test/run.ts";
import type { Comparison } from "./compare.ts";

export type Panel = "outline" | "find" | "problems" | "changes" | "comments";
export type Tab = "configure" | "data" | "retries" | "notes";
/** What a test run is asked for: all, up to a step, or one step alone. */
export type TestOf = { readonly to?: string; readonly only?: string };

export type Dialog =
  | "publish"
  | "run"
  | "keys"
  | "share"
  | "palette"
  | "snippets"
  | "saveSnippet"
  | "describe"
  | "checkpoint"
  | "deleteShared";

/** Where a new step is wanted. */
export type QuickAdd = {
  /** World point of its upper left corner; absent: the kernel finds a free place. */
  readonly at?: Point | undefined;
  readonly from?: { readonly node: string; readonly port: string } | undefined;
  /** The new step leads to this one. */
  readonly to?: string | undefined;
  /** The new step lies on this edge. */
  readonly edge?: string | undefined;
  /** Into this container. */
  readonly within?: string | undefined;
  /** Instead of this step. */
  readonly replace?: string | undefined;
  /** An edge that was torn off and is replaced by the new ones. */
  readonly torn?: string | undefined;
  /** Only triggers fit: the drawing is empty. */
  readonly triggers?: boolean;
};

export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "fail";
  readonly action?: { readonly title: string; run(): void } | undefined;
  readonly href?: { readonly title: string; readonly url: string } | undefined;
};

/** Somebody else on the same drawing; hue is one of six avatar colours. */
export type Person = {
  /** Of their tab. */
  readonly id: string;
  readonly name: string;
  readonly hue: number;
  readonly selection: readonly string[];
  /** Where they type: a node and the place in it. */
  readonly field: string;
};

export type Link = "connecting" | "open" | "down";

export function createSession(workflow: Workflow) {
  return {
    workflow: signal(workflow),
    loading: signal<"loading" | "ready" | "failed">("loading"),
    /** Counts every change to the drawing. */
    revision: signal(0),
    specs: signal<readonly Spec[]>([]),
    /** What workers of one's own have announced, and the same as entries of the list. */
    taskTypes: signal<readonly TaskType[]>([]),
    taskEntries: signal<readonly Spec[]>([]),
    /** Parts of drawings that are kept under names. */
    snippets: signal<readonly Snippet[]>([]),
    /** A change that a model proposes and nobody has accepted yet. */
    proposal: signal<Proposal | undefined>(undefined),
    issues: signal<readonly Issue[]>([]),
    /** The checks answered for a drawing that is older than the one shown. */
    issuesStale: signal(false),
    selection: signal<Selection>({ nodes: new Set(), edges: new Set(), notes: new Set() }),
    save: signal<SaveState>({ is: "saved" }),
    /** Edits that the active version lacks, by the server's count. */
    dirty: signal(workflow.draft_dirty),
    link: signal<Link>("connecting"),
    signedOut: signal(false),
    readOnly: signal(false),
    /** Only for want of room: a test run is started all the same. */
    small: signal(false),
    /** Set while a published version is shown instead of the draft. */
    versionShown: signal<number | undefined>(undefined),
    /** Two versions are shown in one drawing. */
    comparison: signal<Comparison | undefined>(undefined),
    undoable: signal<string | undefined>(undefined),
    redoable: signal<string | undefined>(undefined),
    samples: signal<Samples>({ nodes: {} }),
    credentials: signal<readonly Credential[]>([]),
    hooks: signal<Readonly<Record<string, string>>>({}),
    tool: signal<ToolName>("select"),
    zoom: signal(1),
    gesture: signal(false),
    panel: signal<Panel | undefined>(undefined),
    inspector: signal(true),
    /** The inspector lies over the canvas. */
    narrow: signal(false),
    tab: signal<Tab>("configure"),
    quickAdd: signal<QuickAdd | undefined>(undefined),
    connecting: signal<{ readonly node: string; readonly port: string | undefined } | undefined>(
      undefined,
    ),
    menu: signal<{ readonly screen: Point; readonly at: Point } | undefined>(undefined),
    /** The step whose title is edited on its card. */
    titleEdited: signal<string | undefined>(undefined),
    people: signal<readonly Person[]>([]),
    /** Where this person types: a node and the place in it. */
    typing: signal(""),
    /** With the dialog "deleteShared": who has chosen it too, and what deletes it all the same. */
    doomed: signal<{ readonly who: string; readonly go: () => void } | undefined>(undefined),
    /** What is said about the drawing, as soon as its code is here. */
    talk: signal<Talk | undefined>(undefined),
    /** Threads with something that this person has not seen. */
    unread: signal(0),
    noteEdited: signal<string | undefined>(undefined),
    example: signal<{ readonly issue: Issue; readonly step: number } | undefined>(undefined),
    dialog: signal<Dialog | undefined>(undefined),
    /** With the dialog "run": ids of steps. */
    testOf: signal<TestOf>({}),
    /** The test run that is shown on the canvas. */
    test: signal<TestRun | undefined>(undefined),
    /** Ids of steps that this person's test runs are held before. */
    breaks: signal<ReadonlySet<string>>(new Set()),
    renaming: signal(false),
    toasts: signal<readonly Toast[]>([]),
    spoken: signal(""),
    /** A field (JSON pointer into the node) that should get the focus. */
    focusField: signal<string | undefined>(undefined),
    /** The camera moved: floating parts follow. */
    moved: signal(0),
  };
}

export type Session = ReturnType<typeof createSession>;
