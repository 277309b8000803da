// The chip of a virtual clock, and what moves it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { TestState } from "../core/run-rig.ts";
import { language } from "../core/strings.ts";
import { Icon } from "../run/icon.tsx";
import type { Rig } from "./acts.ts";
import { distance, t } from "./words.ts";

type Props = { readonly rig: Rig; readonly test: TestState; readonly over: boolean };

export function Clock({ rig, test, over }: Props) {
  const [open, setOpen] = useState(false);
  const still = over || test.held !== undefined;
  const words =
    test.ahead >= 1_000 ? t("rig.clock", { far: distance(test.ahead) }) : t("rig.clock.now");
  const when = new Date(Date.now() + test.ahead).toLocaleString(language());
  return (
    <span class="rig-clock">
      <span class="chip rig-time" title={t("rig.clock.shows", { time: when })}>
        <Icon name="timer" />
        {words}
      </span>
      {still ? null : (
        <>
          <button type="button" class="btn sm ghost" onClick={() => void rig.next()}>
            <Icon name="skip-forward" />
            {t("rig.next")}
          </button>
          <button
            type="button"
            class="btn sm ghost"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {t("rig.advance")}
          </button>
          {open ? <Advance rig={rig} close={() => setOpen(false)} /> : null}
        </>
      )}
      {over ? null : (
        <label class="rig-skip">
          <input
            type="checkbox"
            checked={test.arranged.skip === true}
            onChange={(e) => void rig.skip(e.currentTarget.checked)}
          />
          {t("rig.skip")}
        </label>
      )}
    </span>
  );
}

const CHOICES = ["1h", "1d", "3d", "7d"] as const;

function Advance({ rig, close }: { readonly rig: Rig; readonly close: () => void }) {
  const [text, setText] = useState("72h");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>(".inp")?.select();
    const away = (e: Event) => {
      if (e.target instanceof Node && !form.current?.parentElement?.contains(e.target)) close();
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, []);
  const go = async (by: string) => {
    if (await rig.advance(by)) close();
  };
  return (
    <form
      class="pop rig-advance"
      ref={form}
      onSubmit={(e) => {
        e.preventDefault();
        void go(text.trim());
      }}
      onKeyDown={(e) => {
        if (e.key !== "Escape") return;
        e.stopPropagation();
        close();
      }}
    >
      <span class="rig-choices">
        {CHOICES.map((by) => (
          <button key={by} type="button" class="btn sm" onClick={() => void go(by)}>
            {t(`rig.by.${by}`)}
          </button>
        ))}
      </span>
      <label for="rig-by">{t("rig.advance.by")}</label>
      <span class="rig-by">
        <input
          id="rig-by"
          class="inp"
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(e) => setText(e.currentTarget.value)}
        />
        <button type="submit" class="btn sm pri">
          {t("rig.advance.go")}
        </button>
      </span>
      <p class="hint">{t("rig.advance.help")}</p>
    </form>
  );
}
