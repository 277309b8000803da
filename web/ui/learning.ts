// The part of a rule that chooses its queue among several: which ones, what is
// best, what is learned apart, and how much is explored.

import { t } from "../core/strings.ts";

export type Learn = {
  id?: string;
  among: { queue: string; cost?: number }[];
  goal: string;
  by?: string[];
  explore?: number;
  pin?: string;
};

/** What the editor of the table lends. */
export type Kit = {
  readonly may: boolean;
  readonly goals: readonly string[];
  readonly by: readonly string[];
  field(
    value: string,
    label: string,
    set: (v: string) => void,
    more?: Record<string, string | boolean>,
  ): HTMLElement;
  choice(
    value: string,
    label: string,
    options: readonly (readonly [string, string])[],
    set: (v: string) => void,
  ): HTMLElement;
  press(glyph: string, label: string, part: string, act: () => void, off?: boolean): HTMLElement;
  changed(): void;
  draw(part: string): void;
};

const least = 2;
const most = 6;

/** A rule's choice among queues, when it begins. */
export function learnFrom(queue: string): Learn {
  return { among: [{ queue }, { queue: "" }], goal: "fastest" };
}

/** What is sent: without fields that say nothing. */
export function tidyLearn(l: Learn): Learn {
  const { by, explore, pin, among, ...rest } = l;
  return {
    ...rest,
    among: among.map((a) =>
      l.goal === "cheapest" && a.cost !== undefined
        ? { queue: a.queue, cost: a.cost }
        : { queue: a.queue },
    ),
    ...(by === undefined || by.length === 0 ? {} : { by }),
    ...(explore === undefined || explore === 0 ? {} : { explore }),
    ...(pin === undefined || !among.some((a) => a.queue === pin) ? {} : { pin }),
  };
}

/** Draws the fields of a choice among queues: which ones, and below them how it is made. */
export function learnFields(
  l: Learn,
  kit: Kit,
  first: HTMLElement,
  last: HTMLElement,
): HTMLElement {
  const box = group("among", first);
  const how = group("how");
  l.among.forEach((a, k) => {
    const one = group("when");
    one.append(
      kit.field(
        a.queue,
        t("queues.learn.queue", { n: k + 1 }),
        (v) => {
          a.queue = v;
        },
        { list: "queue-names", "data-part": k === 0 ? "queue" : `queue${k}` },
      ),
    );
    if (l.goal === "cheapest")
      one.append(
        kit.field(
          a.cost === undefined ? "" : String(a.cost),
          t("queues.learn.cost", { n: k + 1 }),
          (v) => {
            a.cost = Number(v) || 0;
          },
          { inputmode: "decimal", placeholder: t("queues.learn.cost.like") },
        ),
      );
    if (l.among.length > least)
      one.append(
        kit.press("x", t("queues.learn.drop", { n: k + 1 }), `less${k}`, () => {
          l.among.splice(k, 1);
          kit.changed();
          kit.draw("more");
        }),
      );
    box.append(one);
  });
  box.append(
    kit.press(
      "plus",
      t("queues.learn.more"),
      "more",
      () => {
        l.among.push({ queue: "" });
        kit.changed();
        kit.draw(`queue${l.among.length - 1}`);
      },
      l.among.length >= most,
    ),
  );
  how.append(
    kit.choice(
      l.goal,
      t("queues.learn.goal"),
      kit.goals.map((g) => [g, t(`queues.learn.goal.${g}`)] as const),
      (v) => {
        l.goal = v;
        kit.draw("queue");
      },
    ),
    kit.choice(
      [...(l.by ?? [])].sort().join(),
      t("queues.learn.by"),
      apart(kit.by).map((list) => [list.join(), t(`queues.learn.by.${list.join("_") || "none"}`)]),
      (v) => {
        l.by = v === "" ? [] : v.split(",");
      },
    ),
    kit.choice(
      String(l.explore ?? 0),
      t("queues.learn.explore"),
      explores(l.explore ?? 0).map((e) => [
        String(e),
        t("queues.learn.explore.of", { n: Math.round((e || usual) * 1000) / 10 }),
      ]),
      (v) => {
        l.explore = Number(v);
      },
    ),
    last,
  );
  return group("to learn", box, how);
}

/** What is explored when a rule says nothing. */
const usual = 0.02;

function explores(now: number): number[] {
  const list = [0, 0.01, 0.05, 0.1, 0.2];
  return list.includes(now) ? list : [...list, now];
}

/** All choices of attributes, in the order of their names. */
function apart(by: readonly string[]): string[][] {
  const sorted = [...by].sort();
  return [[], ...sorted.map((b) => [b]), sorted];
}

function group(name: string, ...inside: readonly HTMLElement[]): HTMLElement {
  const div = document.createElement("div");
  div.className = name;
  div.append(...inside);
  return div;
}
