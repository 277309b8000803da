// The input of the visit that a test run is held at, to be looked at and
// changed before it goes on.

import { useEffect, useState } from "preact/hooks";
import type { Held } from "../core/run-rig.ts";
import { message } from "../run/net.ts";
import type { Rig } from "./acts.ts";
import { t } from "./words.ts";

export type Entered = {
  readonly text: string;
  readonly set: (text: string) => void;
  /** It is shown and may be changed. */
  readonly here: boolean;
  /** Why the text is no JSON. */
  readonly fault: string | undefined;
  /** What the visit is to get instead; undefined: what it would get. */
  readonly changed: { readonly value: unknown } | undefined;
  /** Why there is nothing to change. */
  readonly note: string | undefined;
};

/** Fetches the input whenever the run is held somewhere else. */
export function useHeld(rig: Rig, held: Held | undefined): Entered {
  const [whole, setWhole] = useState<string | undefined>(undefined);
  const [text, setText] = useState("");
  const [note, setNote] = useState<string | undefined>(undefined);
  const seq = held?.seq;
  useEffect(() => {
    setWhole(undefined);
    setText("");
    setNote(undefined);
    if (held === undefined) return undefined;
    let left = false;
    rig.inputOf(held).then(
      (value) => {
        if (left) return;
        if (value === undefined) {
          setNote(t("rig.input.large"));
          return;
        }
        const shown = JSON.stringify(value, undefined, 2);
        setWhole(shown);
        setText(shown);
      },
      (why: unknown) => {
        if (!left) setNote(message(why));
      },
    );
    return () => {
      left = true;
    };
  }, [rig, seq]);
  const here = whole !== undefined;
  const read = here && text !== whole ? parse(text) : undefined;
  return {
    text,
    set: setText,
    here,
    note,
    fault: read !== undefined && "fault" in read ? read.fault : undefined,
    changed: read !== undefined && "value" in read ? read : undefined,
  };
}

function parse(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }
}

export function HeldInput({ title, input }: { readonly title: string; readonly input: Entered }) {
  return (
    <div class="rig-held">
      <label for="rig-input">{t("rig.input", { step: title })}</label>
      {input.note === undefined ? (
        <textarea
          id="rig-input"
          class="inp mono"
          rows={5}
          spellcheck={false}
          disabled={!input.here}
          value={input.text}
          aria-invalid={input.fault !== undefined || undefined}
          aria-describedby="rig-input-help"
          onInput={(e) => input.set(e.currentTarget.value)}
        />
      ) : null}
      <p class={input.fault === undefined ? "hint" : "err"} id="rig-input-help">
        {input.note ??
          (input.fault === undefined
            ? t(input.changed === undefined ? "rig.input.help" : "rig.input.changed")
            : t("rig.input.fault", { fault: input.fault }))}
      </p>
    </div>
  );
}
