// The shell: bar above, rail and panels left, canvas, inspector right.

import { useEffect, useRef } from "preact/hooks";
import { useEditor } from "../context.ts";
import { Dialogs } from "../dialogs/dialogs.tsx";
import { Inspector } from "../inspector/inspector.tsx";
import { Connect } from "../panels/connect.tsx";
import { ContextMenu } from "../panels/context-menu.tsx";
import { FindPanel } from "../panels/find.tsx";
import { Outline } from "../panels/outline.tsx";
import { Problems } from "../panels/problems.tsx";
import { QuickAdd } from "../panels/quick-add.tsx";
import { t } from "../strings.ts";
import { Banner } from "./banner.tsx";
import { Dock, Overview } from "./dock.tsx";
import { Example } from "./example.tsx";
import { EmptyCanvas, Loading } from "./empty.tsx";
import { NoteEditor, TitleEditor } from "./inline.tsx";
import { Rail } from "./rail.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";

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
        {loading === "ready" ? <Inspector /> : null}
      </div>
      <Dialogs />
      <Toasts />
      <p class="sr" role="status" aria-live="polite">
        {session.spoken.value}
      </p>
    </div>
  );
}

function CanvasHost({ host }: { readonly host: HTMLElement }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.append(host);
  }, [host]);
  return <div class="ed-place" ref={place} />;
}

function Floating() {
  return (
    <>
      <EmptyCanvas />
      <Overview />
      <Dock />
      <SelectionBar />
      <Example />
      <TitleEditor />
      <NoteEditor />
      <QuickAdd />
      <Connect />
      <ContextMenu />
    </>
  );
}
