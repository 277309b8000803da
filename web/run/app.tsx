// The run view: header, canvas, log and timeline over one store.

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../core/strings.ts";
import { Banner, LinkNote } from "./banner.tsx";
import { Canvas } from "./canvas.tsx";
import { EdgeData } from "./data.ts";
import { Lineage } from "./fork.tsx";
import { Header } from "./header.tsx";
import { listenKeys } from "./keys.ts";
import { Late } from "./late.tsx";
import { LiveRegion } from "./live-region.tsx";
import { Log } from "./log.tsx";
import { LogView } from "./log-view.ts";
import { keepPlaying } from "./playback.ts";
import type { PageProps } from "./props.ts";
import { RunRig } from "./rig.tsx";
import { Split } from "./split.tsx";
import type { RunStore } from "./store.ts";
import { Timeline } from "./timeline.tsx";
import { TimelineView } from "./timeline-view.ts";

const LOG_WIDTH = 400;
const TIMELINE_HEIGHT = 380;

type Props = { readonly store: RunStore; readonly props: PageProps };

const forkDialog = () => import("./later.ts").then((m) => m.later.ForkDialog);

const why = () => import("./later.ts").then((m) => m.later.Why);

/** Why the run failed; most runs never need it. */
function Explained(props: { readonly store: RunStore; readonly run: PageProps["run"] }) {
  return props.store.status.value === "failed" ? <Late load={why} with={props} /> : null;
}

const inspector = () => import("./later.ts").then((m) => m.later.Inspector);

function Inspecting({ store }: { readonly store: RunStore }) {
  return store.selected.value === undefined ? null : <Late load={inspector} with={{ store }} />;
}

const asks = () => import("./asks.tsx").then((m) => m.Asks);

/** The questions of a run that goes on, for those who may answer. */
function Asking({ store }: { readonly store: RunStore }) {
  return store.info.operates && !store.over.value ? <Late load={asks} with={{ store }} /> : null;
}

function Forking({ store }: { readonly store: RunStore }) {
  return store.forking.value === undefined ? null : <Late load={forkDialog} with={{ store }} />;
}

export function App({ store, props }: Props) {
  const parts = useMemo(() => partsOf(store, props), [store, props]);
  useEffect(() => {
    const stops = [listenKeys({ store, ...parts }), keepPlaying(store), parts.data.keep()];
    return () => {
      for (const stop of stops) stop();
    };
  }, [store, parts]);
  return (
    <>
      <Header store={store} run={props.run} role={props.user?.role ?? "viewer"} />
      <main class="run-main" id="main">
        <h2 class="sr">{t("run.canvas.region")}</h2>
        <div class="run-stage">
          <Canvas store={store} view={parts.canvas} />
          <div class="over-stage">
            <Lineage run={props.run} />
            <RunRig store={store} />
            <Banner store={store} />
            <LinkNote store={store} />
          </div>
          <Inspecting store={store} />
          <Explained store={store} run={props.run} />
          <Asking store={store} />
        </div>
        <Split name="timeline" axis="y" start={TIMELINE_HEIGHT} least={140} most={720} />
        <Timeline store={store} view={parts.timeline} />
        <Split name="log" axis="x" start={LOG_WIDTH} least={280} most={720} />
        <Log store={store} log={parts.log} />
      </main>
      <Forking store={store} />
      <LiveRegion store={store} />
    </>
  );
}

function partsOf(store: RunStore, props: PageProps) {
  const data = new EdgeData(store);
  const timeline = new TimelineView(store);
  // Between what a fork shares and what it did itself there may be days.
  timeline.collapse.value = props.run.forked_from !== undefined;
  return {
    data,
    log: new LogView(store),
    timeline,
    canvas: { follow: signal(!store.over.value), data: data.on, labels: data.labels },
  };
}
