// What the boards show: the place of the address, its numbers, and the moment
// that the pointer is at in all charts.

import { signal } from "@preact/signals";
import type { Board, Business } from "../core/board.ts";
import type { Naming } from "../core/board-chart.ts";
import { said } from "../core/sentence.ts";
import { t } from "../core/strings.ts";
import type { Place } from "./place.ts";
import { answerAddress, placeAddress, readPlace, refreshSeconds } from "./place.ts";
import type { BoardProps } from "./props.ts";

/** An answer with the place that it is of. */
export type Shown = { readonly place: Place; readonly answer: Board | Business };

export class BoardStore {
  readonly props: BoardProps;
  readonly place = signal<Place>(readPlace(location.search));
  readonly shown = signal<Shown | undefined>(undefined);
  /** A sentence that says what went wrong. */
  readonly fault = signal<string | undefined>(undefined);
  readonly loading = signal(false);
  readonly live = signal(true);
  /** The interval that the pointer is at, in every chart. */
  readonly at = signal<number | undefined>(undefined);
  /** Counts what makes charts be drawn anew: the theme. */
  readonly look = signal(0);
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(props: BoardProps) {
    this.props = props;
  }

  start(): void {
    window.addEventListener("popstate", () => this.#be(readPlace(location.search)));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#follows()) this.load();
    });
    const anew = () => {
      this.look.value++;
    };
    new MutationObserver(anew).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", anew);
    this.load();
  }

  /** Goes to another place, which the address then names. */
  go(change: Partial<Place>): void {
    const place = { ...this.place.value, ...change };
    history.pushState(null, "", placeAddress(place));
    this.#be(place);
  }

  #be(place: Place): void {
    if (place.tab !== this.place.value.tab) this.shown.value = undefined;
    this.place.value = place;
    this.at.value = undefined;
    this.load();
  }

  setLive(live: boolean): void {
    this.live.value = live;
    if (live) this.load();
    else clearTimeout(this.#timer);
  }

  /** The numbers change by themselves while the range ends now. */
  #follows(): boolean {
    return this.live.value && this.place.value.range.is === "last";
  }

  load(): void {
    clearTimeout(this.#timer);
    this.#ask().catch(() => {
      this.loading.value = false;
      this.fault.value = t("shell.offline");
      this.#again(10);
    });
  }

  async #ask(): Promise<void> {
    const asked = ++this.#asked;
    const place = this.place.value;
    this.loading.value = true;
    const response = await fetch(answerAddress(place), { headers: { Accept: "application/json" } });
    const body = (await response.json()) as (Board | Business) & { readonly detail?: string };
    if (asked !== this.#asked) return; // another place was asked for since
    this.loading.value = false;
    if (response.ok) {
      this.fault.value = undefined;
      this.shown.value = { place, answer: body };
      this.#again(refreshSeconds(body.step));
      return;
    }
    if (response.status === 401) location.reload();
    this.fault.value = body.detail === undefined ? t("shell.failed") : said(body.detail);
    this.shown.value = undefined;
  }

  #again(seconds: number): void {
    if (!this.#follows()) return;
    this.#timer = setTimeout(() => {
      if (!document.hidden) this.load();
    }, seconds * 1000);
  }

  naming(): Naming {
    return {
      t,
      kind: (name) => this.props.kinds[name] ?? (name === "other" ? t("boards.other") : name),
      workflow: this.place.value.workflow,
    };
  }
}
