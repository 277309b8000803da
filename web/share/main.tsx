// The share page's entry: the drawing for people without an account. It takes
// over from the picture that the page came with. What a run needs comes in a
// piece of its own, as does the form.

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Graph, Spec } from "../core/graph.ts";
import { RunClient } from "../core/run-client.ts";
import { t } from "../core/strings.ts";
import { Canvas } from "../run/canvas.tsx";
import { Icon } from "../run/icon.tsx";
import { doors } from "../run/net.ts";
import { readProps } from "../run/props.ts";
import type { RunInfo } from "../run/store.ts";
import { RunStore } from "../run/store.ts";
import type { ReplayProps } from "./replay.tsx";
import "./share.css";

type ShareProps = {
  readonly target: "workflow" | "version" | "run";
  /** Path of the link. */
  readonly base: string;
  readonly graph: Graph;
  readonly kinds: readonly Spec[];
  readonly form?: boolean;
  readonly forks?: boolean;
  readonly framed?: boolean;
  readonly run?: {
    readonly id: string;
    readonly status: string;
    readonly version: number;
    readonly created_at: string;
    readonly ended_at?: string;
  };
};

const TICK_MS = 250;

/** What is shown: the run of the link, or another way of it. */
const shown = signal<RunStore | undefined>(undefined);

function Share({ own, props }: { readonly own: RunStore; readonly props: ShareProps }) {
  const replay = props.run !== undefined;
  const store = shown.value ?? own;
  const [Replay, setReplay] = useState<ComponentType<ReplayProps> | undefined>(undefined);
  useEffect(() => {
    if (replay) void import("./replay.tsx").then((part) => setReplay(() => part.Replay));
  }, [replay]);
  const view = useMemo(
    () => ({
      follow: signal(false),
      data: undefined,
      labels: signal<ReadonlyMap<string, string> | undefined>(undefined),
    }),
    [store],
  );
  if (own.at.value === "gone") return <Gone />;
  return (
    <>
      <div class="run-stage">
        <Canvas key={store.info.id} store={store} view={view} still={!replay} />
      </div>
      {replay && Replay !== undefined ? (
        <Replay
          key={`${store.info.id} replay`}
          store={store}
          own={own}
          shown={shown}
          base={props.base}
          forks={props.forks === true}
        />
      ) : undefined}
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

function infoOf({ run }: ShareProps): RunInfo {
  return {
    id: run?.id ?? "",
    status: run?.status ?? "",
    version: run?.version ?? 0,
    created: run === undefined ? 0 : Date.parse(run.created_at),
    ended: run?.ended_at === undefined ? undefined : Date.parse(run.ended_at),
    operates: false,
  };
}

function begin(root: HTMLElement, props: ShareProps): void {
  const store = new RunStore(infoOf(props), props.graph, props.kinds);
  root.replaceChildren();
  root.classList.add("live");
  render(<Share own={store} props={props} />, root);
  const address = doors(`${props.base}/ticket`, `${props.base}/events`);
  const client = new RunClient(props.run?.id, address, store, true);
  window.addEventListener("online", () => client.wake());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.wake();
  });
  if (props.run !== undefined) setInterval(() => store.tick(), TICK_MS);
  if (props.form === true) void import("./form.ts").then((part) => part.listen());
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy-shared]"))
    void import("./form.ts").then((part) => part.copies(button));
  void client.start();
}

const root = document.getElementById("share");
const props = readProps<ShareProps>();
if (root !== null && props !== undefined) begin(root, props);
