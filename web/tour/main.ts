// Three steps over the editor, the first time that somebody opens the
// flagship. It takes no focus and covers nothing that is pointed at; Tab comes
// to it first, Escape inside it ends it, and the account remembers that.

import { t } from "../core/strings.ts";
import "./tour.css";

type Step = { readonly name: string; readonly target: string };

const STEPS: readonly Step[] = [
  { name: "draw", target: ".ed-canvas" },
  { name: "look", target: ".ed-insp" },
  { name: "run", target: ".ed-test" },
];

const GAP = 14;

const card = document.createElement("section");
const title = document.createElement("h2");
const text = document.createElement("p");
const count = document.createElement("span");
const back = button("btn ghost", t("tour.back"));
const next = button("btn pri", "");
let at = 0;
let marked: Element | undefined;

function button(className: string, word: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = word;
  return made;
}

function show(): void {
  const step = STEPS[at];
  if (step === undefined) return;
  title.textContent = t(`tour.${step.name}`);
  text.textContent = t(`tour.${step.name}.text`);
  count.textContent = t("tour.count", { n: at + 1, of: STEPS.length });
  back.hidden = at === 0;
  next.textContent = t(at === STEPS.length - 1 ? "tour.done" : "tour.next");
  marked?.classList.remove("tour-here");
  marked = document.querySelector(step.target) ?? undefined;
  marked?.classList.add("tour-here");
  place();
}

/** Beside a panel, below a button, in a corner of the canvas. */
function place(): void {
  const wide = window.innerWidth;
  const box = marked?.getBoundingClientRect();
  const width = card.offsetWidth;
  let left = (wide - width) / 2;
  let top = window.innerHeight - card.offsetHeight - 90;
  if (box !== undefined && box.width > 0) {
    const canvas = at === 0;
    if (canvas) {
      left = box.left + (box.width - width) / 2;
      top = box.top + 24;
    } else if (box.height > 200) {
      left = box.left - width - GAP;
      top = box.top + 24;
    } else {
      left = box.right - width;
      top = box.bottom + GAP;
    }
  }
  card.style.left = `${Math.max(12, Math.min(left, wide - width - 12))}px`;
  card.style.top = `${Math.max(12, top)}px`;
}

function go(by: number): void {
  at += by;
  if (at >= STEPS.length) end();
  else show();
}

function end(): void {
  marked?.classList.remove("tour-here");
  card.remove();
  window.removeEventListener("resize", place);
  void fetch("/api/me", {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ tour_done: true }),
  });
}

function begin(): void {
  card.className = "pop tour";
  card.setAttribute("aria-label", t("tour"));
  const close = button("btn ghost sq", "×");
  close.ariaLabel = t("tour.close");
  const words = document.createElement("div");
  words.setAttribute("aria-live", "polite");
  words.append(title, text);
  const foot = document.createElement("footer");
  foot.append(count, back, next);
  card.append(close, words, foot);
  close.addEventListener("click", end);
  back.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));
  card.addEventListener("keydown", (e) => {
    e.stopPropagation(); // these are not the canvas's keys
    if (e.isComposing) return;
    if (e.key === "Escape") end();
    else if (e.key === "ArrowRight") go(1);
    else if (e.key === "ArrowLeft" && at > 0) go(-1);
  });
  document.body.prepend(card);
  window.addEventListener("resize", place);
  show();
}

/** The editor draws its parts after its own start. */
function wait(tries: number): void {
  if (document.querySelector(".ed-test:not(:disabled)") !== null || tries === 0) begin();
  else setTimeout(() => wait(tries - 1), 100);
}

wait(100);
