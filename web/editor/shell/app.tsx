// The shell: bar above, rail and panels left, canvas, inspector right.

import type { ComponentType } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { lazy } from "../lazy.tsx";
import { t } from "../strings.ts";
import { Loading } from "./loading.tsx";
import { Rail } from "./rail.tsx";
import { TopBar } from "./top-bar.tsx";

// Everything but the frame and the canvas comes after the first paint.
type Later = typeof import("../later.ts").later;
const part = (
  name: {
    [K in keyof Later]: Later[K] extends ComponentType ? K : never;
  }[keyof Later],
  Meanwhile?: ComponentType,
) => lazy(async () => (await import("../later.ts")).later[name], Meanwhile);

const Banner = part("Banner");
const EdgePeek = part("EdgePeek");
const EmptyCanvas = part("EmptyCanvas");
const Toasts = part("Toasts");
const Overview = part("Overview");
const Dock = part("Dock");
const Inspector = part("Inspector", InspectorPlace);
const Outline = part("Outline");
const FindPanel = part("FindPanel");
const Problems = part("Problems");
const TestPanel = lazy(async () => (await import("../test/index.ts")).testing.TestPanel);
const Review = lazy(async () => (await import("../propose/review.tsx")).Review);
const Changes = lazy(async () => (await import("../panels/changes.tsx")).Changes);
const Comments = lazy(async () => (await import("../talk/index.ts")).talking.Comments);
const Markers = lazy(async () => (await import("../talk/index.ts")).talking.Markers);
const PortCard = part("PortCard");
const QuickAdd = part("QuickAdd");
const SelectionBar = part("SelectionBar");
const Example = part("Example");
const TitleEditor = part("TitleEditor");
const NoteEditor = part("NoteEditor");
const Connect = part("Connect");
const ContextMenu = part("ContextMenu");
const Dialogs = part("Dialogs");

const panels: Readonly<Record<string, ComponentType>> = {
  outline: Outline,
  find: FindPanel,
  problems: Problems,
  changes: Changes,
  comments: Comments,
};

export function App({ host }: { readonly host: HTMLElement }) {
  const { session } = useEditor();
  const loading = session.loading.value;
  const Panel = panels[session.panel.value ?? ""];
  return (
    <div class="ed">
      <TopBar />
      <div class="ed-main">
        <Rail />
        {Panel ? <Panel /> : null}
        <main class="ed-canvas" aria-label={t("editor.region.canvas")}>
          <CanvasHost host={host} />
          <Banner />
          {loading === "ready" ? <Floating /> : <Loading failed={loading === "failed"} />}
        </main>
        <Inspector />
      </div>
      {session.dialog.value ? <Dialogs /> : null}
      <Toasts />
      <p class="sr" role="status" aria-live="polite">
        {session.spoken.value}
      </p>
    </div>
  );
}

/** Holds the inspector's room, so that the canvas has its size from the start. */
function InspectorPlace() {
  return useEditor().session.inspector.value ? <div class="ed-insp" /> : null;
}

function CanvasHost({ host }: { readonly host: HTMLElement }) {
  const { kernel } = useEditor();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.append(host);
    kernel.refreshTheme();
  }, [host]);
  return <div class="ed-place" ref={place} />;
}

function Floating() {
  const { session } = useEditor();
  return (
    <>
      <EmptyCanvas />
      <Markers />
      <Overview />
      <Dock />
      <EdgePeek />
      <SelectionBar />
      <PortCard />
      {session.test.value ? <TestPanel /> : null}
      {session.proposal.value ? <Review /> : null}
      {session.example.value ? <Example /> : null}
      {session.titleEdited.value === undefined ? null : <TitleEditor />}
      {session.noteEdited.value === undefined ? null : <NoteEditor />}
      {session.quickAdd.value ? <QuickAdd /> : null}
      {session.connecting.value ? <Connect /> : null}
      {session.menu.value ? <ContextMenu /> : null}
    </>
  );
}
