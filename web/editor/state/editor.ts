// The editor's middle: it owns the canvas, keeps the drawing in step with the
// server, and is what every panel and every gesture acts through.

import { batch } from "@preact/signals";
import type { Drawing } from "../../core/drawing.ts";
import type { Graph, Spec } from "../../core/graph.ts";
import { said } from "../../core/sentence.ts";
import type { Effect, Timer } from "../../core/sync.ts";
import { Sync } from "../../core/sync.ts";
import type { Change } from "../../core/touch.ts";
import { Undo } from "../../core/undo.ts";
import type { KernelApi } from "../../kernel/api.ts";
import type { Issue, Workflow } from "../net/api.ts";
import { Api, ApiError, inWords, reasonOf } from "../net/api.ts";
import { Outbox, tabName } from "../net/outbox.ts";
import type { DraftFrame, Presence } from "../net/socket.ts";
import { DraftSocket } from "../net/socket.ts";
import { t } from "../strings.ts";
import { CameraKeeper } from "./camera.ts";
import type { Crowd } from "./crowd.ts";
import { focusQuietly } from "./focus.ts";
import type { Session, Toast } from "./signals.ts";
import { createSession } from "./signals.ts";

export type EditorProps = {
  readonly workflow: Workflow;
  readonly user?: { readonly id: string; readonly name: string; readonly role?: string } | null;
  /** The version to look at instead of the draft. */
  readonly version?: string;
  readonly origin?: string;
  /** Two sides to compare, "a..b": ids of versions, or "draft". */
  readonly compare?: string | undefined;
  /** A version that becomes the draft. */
  readonly restore?: string | undefined;
};

const toastTime = 6_000;

export class Editor {
  readonly api: Api;
  readonly session: Session;
  readonly kernel: KernelApi;
  readonly props: EditorProps;
  /** What the socket tells of other things than the drawing. */
  heard: (frame: DraftFrame) => void = () => undefined;
  /** Position of the draft that is shown without being edited. */
  looked = Number.MAX_SAFE_INTEGER;
  readonly #history = new Undo();
  readonly #outbox: Outbox;
  readonly #socket: DraftSocket;
  readonly #camera: CameraKeeper;
  #crowd: Promise<Crowd> | undefined;
  #presence: Presence = { x: 0, y: 0, selection: [], field: "" };
  readonly #timers = new Map<Timer, ReturnType<typeof setTimeout>>();
  #sync: Sync | undefined;
  #issuesSeq = 0;
  #issues: readonly Issue[] = [];
  #also: readonly Issue[] = [];
  #toasts = 0;

  constructor(props: EditorProps, kernel: KernelApi) {
    this.props = props;
    this.kernel = kernel;
    this.session = createSession(props.workflow);
    this.api = new Api(props.workflow.id);
    this.#outbox = new Outbox(props.workflow.id, tabName());
    this.#camera = new CameraKeeper(this.api, kernel);
    this.#socket = new DraftSocket(
      props.workflow.id,
      () => this.api.ticket(),
      () => this.#sync?.seq ?? this.looked,
      {
        frame: (f) => this.#frame(f),
        opened: () => this.#linkUp(),
        closed: () => this.#linkDown(),
      },
    );
  }

  get drawing(): Drawing {
    return this.kernel.drawing;
  }

  get seq(): number {
    return this.#sync?.seq ?? 0;
  }

  spec(kind: string): Spec | undefined {
    return this.kernel.spec(kind);
  }

  /** Loads what is shown, then whatever makes it richer. */
  async start(): Promise<void> {
    try {
      await this.#open();
      this.session.loading.value = "ready";
    } catch (error) {
      this.session.loading.value = "failed";
      if (error instanceof ApiError && error.status === 401) this.session.signedOut.value = true;
      return;
    }
    // So that the canvas's keys work at once, unless somebody is elsewhere already.
    if (document.activeElement === document.body) focusQuietly(this.kernel);
    window.addEventListener("online", () => this.#online());
    window.addEventListener("offline", () => this.#linkDown());
    void this.refreshSamples();
    if (!this.session.readOnly.value) void this.#readCredentials();
    const { version, compare, restore } = this.props;
    if (!version) {
      void import("../talk/index.ts").then((m) => m.talking.start(this));
      void this.#socket.start();
    }
    if (!version && !compare) {
      void import("./workers.ts").then((m) => m.watchWorkers(this));
    }
    if (restore) await (await import("./compare.ts")).restoreVersion(this, restore);
  }

  async #open(): Promise<void> {
    const { version, compare } = this.props;
    if (compare) await (await import("./compare.ts")).openComparison(this, compare);
    else if (version) await this.#openVersion(version);
    else await this.#openDraft();
  }

  async #openVersion(id: string): Promise<void> {
    const [{ kinds }, { version, graph }] = await Promise.all([
      this.api.kinds(),
      this.api.version(id),
    ]);
    this.session.versionShown.value = version.number;
    this.show(graph as Graph, kinds);
    this.kernel.fit();
  }

  async #openDraft(): Promise<void> {
    const [{ kinds }, draft, left] = await Promise.all([
      this.api.kinds(),
      this.api.draft(),
      this.#outbox.open(),
    ]);
    this.show(draft.graph as Graph, kinds);
    const { session } = this;
    session.workflow.value = draft.workflow;
    session.dirty.value = draft.workflow.draft_dirty;
    session.hooks.value = draft.hooks ?? {};
    this.#sync = new Sync(this.kernel, draft.seq);
    this.#setIssues(draft.issues ?? [], draft.seq);
    this.#camera.restore(draft.camera ?? undefined);
    if (!session.readOnly.value) this.#run(this.#sync.restore(left));
    this.#changed();
  }

  show(graph: Graph, kinds: readonly unknown[]): void {
    const specs = kinds as readonly Spec[];
    this.session.specs.value = specs;
    this.kernel.load(graph, specs);
    this.session.revision.value += 1;
  }

  async #readCredentials(): Promise<void> {
    try {
      this.session.credentials.value = (await this.api.credentials()).credentials ?? [];
    } catch {
      this.session.credentials.value = []; // not everybody may see them
    }
  }

  /** Publishing may have given a webhook its address. */
  async refreshHooks(): Promise<void> {
    try {
      this.session.hooks.value = (await this.api.draft()).hooks ?? {};
    } catch {
      // They come with the next page.
    }
  }

  async refreshSamples(): Promise<void> {
    try {
      this.session.samples.value = await this.api.samples();
    } catch {
      // The last ones stay: they are only examples.
    }
  }

  // -- changes

  /**
   * Makes a change that can be undone under this name. Changes with the same
   * merge word (typing in one field) are one step of undo.
   */
  commit(label: string, ops: readonly Change[], merge?: string): boolean {
    if (ops.length === 0 || this.session.readOnly.value) return false;
    const inverse = this.#edit(ops, merge);
    if (!inverse) return false;
    this.#history.did(label, ops, inverse, merge);
    this.#changed();
    return true;
  }

  undo(): void {
    const step = this.#history.undo((s) => this.#edit(s.ops));
    if (step)
      this.#stepped(
        step.ops.length > 0 ? "editor.undone" : "editor.undo.skipped",
        step.label,
        step.skipped,
      );
  }

  redo(): void {
    const step = this.#history.redo((s) => this.#edit(s.ops));
    if (step)
      this.#stepped(
        step.ops.length > 0 ? "editor.redone" : "editor.undo.skipped",
        step.label,
        step.skipped,
      );
  }

  /** The next change is a step of undo of its own. */
  seal(): void {
    this.#history.seal();
  }

  #stepped(
    key: "editor.undone" | "editor.redone" | "editor.undo.skipped",
    label: string,
    skipped: number,
  ): void {
    this.#changed();
    this.say(t(key, { label }));
    if (skipped > 0) this.toast(t("editor.undo.skipped", { label }));
  }

  #edit(ops: readonly Change[], merge?: string): readonly Change[] | undefined {
    if (!this.#sync) return undefined;
    try {
      const { inverse, effects } = this.#sync.edit(crypto.randomUUID(), ops, merge);
      this.#run(effects);
      return inverse;
    } catch (error) {
      this.toast(error instanceof Error ? error.message : String(error), { tone: "fail" });
      return undefined;
    }
  }

  #changed(): void {
    batch(() => {
      this.session.revision.value += 1;
      this.session.undoable.value = this.#history.undoLabel;
      this.session.redoable.value = this.#history.redoLabel;
      if (this.#sync) this.session.save.value = this.#sync.save;
    });
  }

  /** Resolves when every edit so far is on the server, or false when it is not to be. */
  async settled(timeoutMS = 10_000): Promise<boolean> {
    const deadline = Date.now() + timeoutMS;
    while (this.#sync && this.#sync.pending.length > 0) {
      if (Date.now() > deadline) return false;
      this.#run(this.#sync.woke("send"));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
  }

  // -- the server's side

  #run(effects: readonly Effect[]): void {
    for (const effect of effects) this.#do(effect);
    if (this.#sync) this.session.save.value = this.#sync.save;
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case "send":
        void this.#send(effect.batch, effect.base, effect.ops);
        break;
      case "store":
        this.#outbox.keep(effect.pending);
        break;
      case "fetch":
        void this.#fetch(effect.after);
        break;
      case "wake":
        this.#wake(effect.timer, effect.ms);
        break;
      case "changed":
        if (effect.theirs.length > 0) {
          this.#history.theirs(effect.theirs);
          this.session.dirty.value += 1;
        }
        this.#changed();
        break;
      case "refused":
        this.#history.forget(effect.ops);
        this.toast(t("editor.refused", { why: said(effect.message) }), { tone: "fail" });
        break;
      case "reload":
        void this.#reload();
        break;
    }
  }

  async #send(id: string, base: number, ops: readonly Change[]): Promise<void> {
    const sync = this.#sync;
    if (!sync) return;
    try {
      const answer = await this.api.sendOps(id, base, ops);
      this.session.dirty.value += 1;
      this.session.signedOut.value = false;
      this.#run(sync.acked(id, answer.seq));
      if (answer.issues) this.#setIssues(answer.issues, answer.seq);
    } catch (error) {
      if (error instanceof ApiError && error.final) {
        this.#run(sync.refused(id, reasonOf(error)));
        return;
      }
      this.session.signedOut.value = error instanceof ApiError && error.status === 401;
      this.#run(sync.failed(id, error instanceof ApiError ? error.retryAfterMS : undefined));
    }
  }

  async #fetch(after: number): Promise<void> {
    const sync = this.#sync;
    if (!sync) return;
    try {
      const { batches } = await this.api.opsAfter(after);
      this.#run(sync.fetched(batches ?? []));
    } catch {
      this.#run(sync.fetchFailed());
    }
  }

  #wake(timer: Timer, ms: number): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.set(
      timer,
      setTimeout(() => this.#run(this.#sync?.woke(timer) ?? []), ms),
    );
  }

  /** The drawing and the server's differ: start again, with my own edits. */
  async #reload(): Promise<void> {
    const mine = this.#sync?.pending ?? [];
    try {
      const draft = await this.api.draft();
      const { camera } = this.kernel;
      this.show(draft.graph as Graph, this.session.specs.value);
      this.kernel.setCamera(camera);
      this.#sync = new Sync(this.kernel, draft.seq);
      this.#setIssues(draft.issues ?? [], draft.seq);
      this.#run(this.#sync.restore(mine));
      this.#changed();
    } catch {
      this.toast(t("editor.reloadFailed"), { tone: "fail" });
    }
  }

  #frame(frame: DraftFrame): void {
    switch (frame.t) {
      case "op":
        this.heard(frame);
        this.#run(this.#sync?.received(frame) ?? []);
        if (this.#sync && frame.issues) this.#setIssues(frame.issues, frame.seq);
        break;
      case "presence":
        void this.#others().then((crowd) => crowd.seen(frame));
        break;
      case "gap":
        this.#run(this.#sync?.online() ?? []);
        break;
      case "gone":
        this.session.readOnly.value = true;
        this.toast(t("editor.gone", { why: frame.why }), { tone: "fail" });
        break;
      default:
        this.heard(frame);
    }
  }

  // Most drawings have one person before them: this comes with the first other one.
  #others(): Promise<Crowd> {
    this.#crowd ??= import("./crowd.ts").then(
      ({ Crowd }) =>
        new Crowd(this.kernel, this.props.user?.id, (people) => {
          this.session.people.value = people;
        }),
    );
    return this.#crowd;
  }

  #linkUp(): void {
    this.session.link.value = "open";
    this.heard({ t: "hello" });
    this.#run(this.#sync?.online() ?? []);
  }

  #linkDown(): void {
    this.session.link.value = "down";
    void this.#crowd?.then((crowd) => crowd.clear());
  }

  #online(): void {
    this.#socket.hurry();
    this.#run(this.#sync?.online() ?? []);
  }

  /** Tells the others where this person is. */
  presence(part: Partial<Presence>): void {
    this.#presence = { ...this.#presence, ...part };
    this.#socket.presence(() => this.#presence);
  }

  #setIssues(issues: readonly Issue[], seq: number): void {
    if (seq < this.#issuesSeq) return;
    this.#issuesSeq = seq;
    this.#issues = issues.map(inWords);
    this.#showIssues();
  }

  /** Findings of this page, beside the server's. */
  alsoIssues(issues: readonly Issue[]): void {
    if (issues.length + this.#also.length === 0) return;
    this.#also = issues;
    this.#showIssues();
  }

  #showIssues(): void {
    const all = [...this.#issues, ...this.#also];
    this.session.issues.value = all;
    this.kernel.setIssues(all);
    // What is mended is no longer played.
    const played = this.session.example.value?.issue;
    if (played && !all.some((i) => i.code === played.code && i.node === played.node))
      this.session.example.value = undefined;
  }

  // -- telling people

  toast(text: string, more: Partial<Omit<Toast, "id" | "text">> = {}): void {
    this.#toasts += 1;
    const toast: Toast = { tone: "plain", ...more, id: this.#toasts, text };
    this.session.toasts.value = [...this.session.toasts.value, toast].slice(-3);
    setTimeout(() => this.dismiss(toast.id), more.action || more.href ? toastTime * 2 : toastTime);
  }

  dismiss(id: number): void {
    this.session.toasts.value = this.session.toasts.value.filter((toast) => toast.id !== id);
  }

  /** Says something to screen readers, without a sign on the screen. */
  say(text: string): void {
    // The same words twice in a row would not be read a second time.
    this.session.spoken.value = this.session.spoken.value === text ? `${text} ` : text;
  }
}
