// Asks the server what data looks like at the ports, whenever the drawing that
// it has is another one, or what the drawing names has changed.

import type { Issue } from "../../core/graph.ts";
import type { Ports } from "../../core/port-shape.ts";
import { call, inWords } from "../net/api.ts";
import type { Editor } from "../state/editor.ts";
import { ports } from "./store.ts";
import { advice } from "./words.ts";

type Answer = {
  readonly seq: number;
  readonly ports: Readonly<Record<string, Ports>>;
  readonly issues: readonly Issue[];
};

const pause = 250; // ms after an edit

export type PortWatch = {
  /** What is not in the drawing may have changed: asks again, whatever it was asked for last. */
  again(): void;
};

/** Looks now and after every edit; found tells of what workers and called workflows make of it. */
export function watchPorts(editor: Editor, found: (issues: readonly Issue[]) => void): PortWatch {
  const { session, kernel } = editor;
  let seen = -1;
  let known = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const path = `/api/workflows/${encodeURIComponent(editor.props.workflow.id)}/ports`;
  const look = async () => {
    if (editor.seq === seen) return;
    try {
      const answer = await call<Answer>("GET", path);
      seen = answer.seq;
      const told = JSON.stringify([answer.ports, answer.issues]);
      if (told === known) return;
      known = told;
      ports.value = new Map(Object.entries(answer.ports));
      found(answer.issues.map(inWords));
    } catch {
      // The next edit asks again; until then what was known stands.
    }
  };
  const arm = () => {
    clearTimeout(timer);
    if (session.save.value.is === "saved") timer = setTimeout(() => void look(), pause);
  };
  session.revision.subscribe(arm);
  session.save.subscribe(arm);
  kernel.setAdvice((from, to) => advice(editor, from, to));
  return {
    again() {
      seen = -1;
      arm();
    },
  };
}
