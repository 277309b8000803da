// The moments of a shared run: scrubber, transport, and the way into a
// sandbox. Loaded when a run is shown.

import type { Signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { moment } from "../core/run-time.ts";
import { t } from "../core/strings.ts";
import { Banner } from "../run/banner.tsx";
import { Icon } from "../run/icon.tsx";
import { listenKeys } from "../run/keys.ts";
import { LiveRegion } from "../run/live-region.tsx";
import { keepPlaying } from "../run/playback.ts";
import { Scrubber, Transport } from "../run/scrubber.tsx";
import { RunChip } from "../run/status.tsx";
import type { RunStore } from "../run/store.ts";
import { SandboxBar, SandboxDialog } from "./sandbox.tsx";
import { Span } from "./span.ts";

export type ReplayProps = {
  /** What is shown: the run of the link, or a sandbox. */
  readonly store: RunStore;
  readonly own: RunStore;
  readonly shown: Signal<RunStore | undefined>;
  readonly base: string;
  readonly forks: boolean;
};

export function Replay({ store, own, shown, base, forks }: ReplayProps) {
  const span = useMemo(() => new Span(store), [store]);
  const [asks, setAsks] = useState<number | undefined>(undefined);
  useEffect(() => {
    const stops = [listenKeys({ store }), keepPlaying(store)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [store]);
  useEffect(() => keepChip(own), [own]);
  const sandbox = store !== own;
  return (
    <>
      <div class="over-stage">
        {sandbox ? <SandboxBar store={store} back={() => (shown.value = undefined)} /> : undefined}
        <Banner store={store} />
      </div>
      <div class="share-scrub">
        <Transport store={store} />
        <Scrubber store={store} scale={span.scale} width={span.width} />
        {forks && !sandbox ? <Try store={store} ask={setAsks} /> : undefined}
      </div>
      <LiveRegion store={store} />
      {asks === undefined ? undefined : (
        <SandboxDialog
          store={own}
          at={asks}
          base={base}
          close={() => setAsks(undefined)}
          play={(played) => {
            setAsks(undefined);
            shown.value = played;
          }}
        />
      )}
    </>
  );
}

/** Begins a sandbox at the moment that is shown; live: at the start. */
function Try({ store, ask }: { readonly store: RunStore; readonly ask: (at: number) => void }) {
  store.version.value;
  const at = store.cursor.value ?? 1;
  const event = store.trace.events[at - 1];
  return (
    <button
      type="button"
      class="btn sm"
      data-another
      disabled={event === undefined}
      title={event === undefined ? undefined : moment(event.at - store.started)}
      onClick={() => ask(at)}
    >
      <Icon name="flask-conical" />
      {t("share.try")}
    </button>
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
