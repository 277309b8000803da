// The controls of a test run: its clock, and where it is held. The editor and
// the run's page show the same.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { TestState } from "../core/run-rig.ts";
import { isOver } from "../core/run-state.ts";
import { Icon } from "../run/icon.tsx";
import type { Rig } from "./acts.ts";
import { Clock } from "./clock.tsx";
import { HeldInput, useHeld } from "./held.tsx";
import { statusWord, t } from "./words.ts";

export type RigProps = {
  readonly rig: Rig;
  readonly test: TestState | undefined;
  readonly status: string;
  /** How a step is called. */
  readonly title: (key: string) => string;
};

const TONES: Readonly<Record<string, string>> = {
  running: "run",
  succeeded: "ok",
  failed: "fail",
  canceled: "skip",
  compensated: "comp",
  compensating: "comp",
};

/** The chip, the clock and the buttons; the children come last. */
export function RigBar({
  rig,
  test,
  status,
  title,
  children,
}: RigProps & { readonly children?: ComponentChildren }) {
  const over = isOver(status);
  const held = test?.held;
  const input = useHeld(rig, held);
  const go = async (step: boolean) => {
    if (held === undefined || input.fault !== undefined) return;
    await rig.release(held, step, input.changed);
  };
  useKeys(held === undefined ? undefined : go);
  return (
    <>
      <div class="rig-row">
        <span class={`chip ${held ? "wait" : (TONES[status] ?? "wait")}`} role="status">
          {held ? <Icon name="circle-pause" /> : null}
          {held ? t("rig.heldAt", { step: title(held.node) }) : statusWord(status)}
        </span>
        {test?.arranged.virtual ? <Clock rig={rig} test={test} over={over} /> : null}
        <span class="rig-acts">
          {over ? null : (
            <>
              <button
                type="button"
                class="btn sm pri"
                disabled={held === undefined || input.fault !== undefined}
                onClick={() => void go(true)}
              >
                <Icon name="step-forward" />
                {t("rig.step")}
                <kbd>F10</kbd>
              </button>
              <button
                type="button"
                class="btn sm"
                disabled={held === undefined || input.fault !== undefined}
                onClick={() => void go(false)}
              >
                <Icon name="play" />
                {t("rig.continue")}
                <kbd>F8</kbd>
              </button>
              <button type="button" class="btn sm dng" onClick={() => void rig.stop()}>
                <Icon name="square" />
                {t("rig.stop")}
              </button>
            </>
          )}
          {children}
        </span>
      </div>
      {held === undefined ? null : <HeldInput title={title(held.node)} input={input} />}
    </>
  );
}

/** F10 steps, F8 goes on, wherever the focus is. */
function useKeys(go: ((step: boolean) => Promise<void>) | undefined): void {
  const now = useRef(go);
  now.current = go;
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const step = e.key === "F10";
      if ((!step && e.key !== "F8") || e.shiftKey || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      if (busy || now.current === undefined) return;
      setBusy(true);
      void now.current(step).finally(() => setBusy(false));
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, [busy]);
}
