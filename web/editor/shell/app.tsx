// The shell: bar above, rail and panels left, canvas, inspector right.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { lazy } from "../lazy.tsx";
import { t } from "../strings.ts";
import { Banner } from "./banner.tsx";
import { Dock, Overview } from "./dock.tsx";
import { EmptyCanvas, Loading } from "./empty.tsx";
import { Rail } from "./rail.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";

// Everything but the canvas and its tools comes after the first paint.
const Inspector = lazy(
  async () => (await import("../inspector/inspector.tsx")).Inspector,
  InspectorPlace,
);
const Outline = lazy(async () => (await import("../panels/outline.tsx")).Outline);
const FindPanel = lazy(async () => (await import("../panels/find.tsx")).FindPanel);
const Problems = lazy(async () => (await import("../panels/problems.tsx")).Problems);
const QuickAdd = lazy(async () => (await import("../panels/quick-add.tsx")).QuickAdd);
const Example = lazy(async () => (await import("./example.tsx")).Example);
const TitleEditor = lazy(async () => (await import("./inline.tsx")).TitleEditor);
const NoteEditor = lazy(async () => (await import("./inline.tsx")).NoteEditor);
const Connect = lazy(async () => (await import("../panels/connect.tsx")).Connect);
const ContextMenu = lazy(async () => (await import("../panels/context-menu.tsx")).ContextMenu);
const Dialogs = lazy(async () => (await import("../dialogs/dialogs.tsx")).Dialogs);

export function App({ host }: { readonly host: HTMLElement }) {
  const { session } = useEditor();
  const loading = session.loading.value;
  return (
    <div class="ed">
      <TopBar />
      <Banner />
      <div class="ed-main">
        <Rail />
        {session.panel.value === "outline" ? <Outline /> : null}
        {session.panel.value === "find" ? <FindPanel /> : null}
        {session.panel.value === "problems" ? <Problems /> : null}
        <main class="ed-canvas" aria-label={t("editor.region.canvas")}>
          <CanvasHost host={host} />
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
      <Overview />
      <Dock />
      <SelectionBar />
      {session.example.value ? <Example /> : null}
      {session.titleEdited.value === undefined ? null : <TitleEditor />}
      {session.noteEdited.value === undefined ? null : <NoteEditor />}
      {session.quickAdd.value ? <QuickAdd /> : null}
      {session.connecting.value ? <Connect /> : null}
      {session.menu.value ? <ContextMenu /> : null}
    </>
  );
}
