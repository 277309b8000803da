// The share page's entry: the drawing, and a run's moments, for people without
// an account. It takes over from the picture that the page came with.

import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Graph, Spec } from "../core/graph.ts";
import { RunClient } from "../core/run-client.ts";
import { t } from "../core/strings.ts";
import { Banner } from "../run/banner.tsx";
import { Canvas } from "../run/canvas.tsx";
import { Icon } from "../run/icon.tsx";
import { listenKeys } from "../run/keys.ts";
import { LiveRegion } from "../run/live-region.tsx";
import { doors } from "../run/net.ts";
import { keepPlaying } from "../run/playback.ts";
import { readProps } from "../run/props.ts";
import { Scrubber, Transport } from "../run/scrubber.tsx";
import { RunChip } from "../run/status.tsx";
import { RunStore } from "../run/store.ts";
import "./share.css";
import { Span } from "./span.ts";

type ShareProps = {
  readonly target: "workflow" | "run";
  readonly token: string;
  readonly graph: Graph;
  readonly kinds: readonly Spec[];
  readonly run?: {
    readonly id: string;
    readonly status: string;
    readonly version: number;
    readonly created_at: string;
    readonly ended_at?: string;
  };
};

const TICK_MS = 250;

function Share({ store, replay }: { readonly store: RunStore; readonly replay: boolean }) {
  const view = useMemo(
    () => ({
      follow: signal(false),
      data: undefined,
      labels: signal<ReadonlyMap<string, string> | undefined>(undefined),
    }),
    [store],
  );
  const span = useMemo(() => new Span(store), [store]);
  useEffect(() => {
    if (!replay) return undefined;
    const stops = [listenKeys({ store }), keepPlaying(store)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [store, replay]);
  if (store.at.value === "gone") return <Gone />;
  return (
    <>
      <div class="run-stage">
        <Canvas store={store} view={view} still={!replay} />
        <div class="over-stage">
          <Banner store={store} />
        </div>
      </div>
      {replay ? (
        <div class="share-scrub">
          <Transport store={store} />
          <Scrubber store={store} scale={span.scale} width={span.width} />
        </div>
      ) : undefined}
      {replay ? <LiveRegion store={store} /> : undefined}
    </>
  );
}

function Gone() {
  return (
    <div class="empty share-gone" role="alert">
      <span class="tile">
        <Icon name="lock" />
      </span>
      <h2>{t("share.revoked")}</h2>
      <p>{t("share.revoked.lead")}</p>
    </div>
  );
}

/** The chip of the page's header follows the run. */
function keepChip(store: RunStore): void {
  const chip = document.querySelector(".share > .top .crumb + .chip");
  if (chip === null) return;
  const slot = document.createElement("span");
  chip.replaceWith(slot);
  render(<Chip store={store} />, slot);
}

function Chip({ store }: { readonly store: RunStore }) {
  return store.at.value === "gone" ? null : <RunChip status={store.status.value} />;
}

function begin(root: HTMLElement, props: ShareProps): void {
  const { run } = props;
  const info = {
    id: run?.id ?? "",
    status: run?.status ?? "",
    version: run?.version ?? 0,
    created: run === undefined ? 0 : Date.parse(run.created_at),
    ended: run?.ended_at === undefined ? undefined : Date.parse(run.ended_at),
    operates: false,
  };
  const store = new RunStore(info, props.graph, props.kinds);
  root.replaceChildren();
  root.classList.add("live");
  render(<Share store={store} replay={run !== undefined} />, root);
  if (run !== undefined) keepChip(store);
  const address = `/s/${encodeURIComponent(props.token)}`;
  const client = new RunClient(
    run?.id,
    doors(`${address}/ticket`, `${address}/events`),
    store,
    true,
  );
  window.addEventListener("online", () => client.wake());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.wake();
  });
  if (run !== undefined) setInterval(() => store.tick(), TICK_MS);
  void client.start();
}

const root = document.getElementById("share");
const props = readProps<ShareProps>();
if (root !== null && props !== undefined) begin(root, props);
