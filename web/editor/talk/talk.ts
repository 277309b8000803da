// What is said about the drawing: threads, which of them is open, what is
// being written, and what there is for this person.

import { batch, signal } from "@preact/signals";
import { ApiError } from "../net/api.ts";
import type { DraftFrame } from "../net/socket.ts";
import type { Editor } from "../state/editor.ts";
import type { Inbox, Member, Said, Standing, Thread } from "./net.ts";
import { draws, net } from "./net.ts";
import { t } from "./words.ts";

export type Filter = "open" | "unread" | "resolved";

const everyMS = 20_000; // "3 min ago" goes on

export class Talk {
  readonly threads = signal<readonly Thread[]>([]);
  readonly reading = signal<"loading" | "ready" | "failed">("loading");
  readonly filter = signal<Filter>("open");
  /** Only threads on this step are listed. */
  readonly step = signal<string | undefined>(undefined);
  /** The thread that is open, with all its comments as soon as they are here. */
  readonly open = signal<string | undefined>(undefined);
  readonly whole = signal<Thread | undefined>(undefined);
  readonly gone = signal(false);
  /** Where a new thread is being written: a step's id, or "" for the workflow. */
  readonly writing = signal<string | undefined>(undefined);
  readonly members = signal<readonly Member[]>([]);
  /** How the draft stands; unknown until it was read. */
  readonly standing = signal<Standing | undefined>(undefined);
  readonly inbox = signal<Inbox>({ unread: 0, nudges: [] });
  readonly now = signal(Date.now());
  /** Texts that were not sent yet, by the place they are for. */
  readonly drafts = new Map<string, string>();
  readonly #editor: Editor;

  constructor(editor: Editor) {
    this.#editor = editor;
    editor.heard = (frame) => this.#heard(frame);
    setInterval(() => (this.now.value = Date.now()), everyMS);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // While nobody looked, the line may have been asleep.
      void this.load();
      void this.#see();
    });
  }

  get me(): string | undefined {
    return this.#editor.props.user?.id;
  }

  /** Whether the person's role may say something. */
  get may(): boolean {
    const role = this.#editor.props.user?.role;
    return role !== undefined && role !== "viewer" && role !== "guest";
  }

  /** Whether the person's role may draw, publish and review. */
  get draws(): boolean {
    return draws(this.#editor.props.user?.role);
  }

  /** Whether the person may delete what others said. */
  get rules(): boolean {
    const role = this.#editor.props.user?.role;
    return role === "owner" || role === "admin";
  }

  async load(): Promise<void> {
    void this.readInbox();
    void this.readStanding();
    try {
      const list = await net.list(this.#editor.api.workflow);
      this.#set(list);
      this.reading.value = "ready";
    } catch {
      if (this.reading.value === "loading") this.reading.value = "failed";
    }
    const { open } = this;
    if (open.value !== undefined) await this.#read(open.value);
  }

  async readInbox(): Promise<void> {
    try {
      this.inbox.value = await net.inbox();
    } catch {
      // The last ones stay.
    }
  }

  async readAll(): Promise<void> {
    const { inbox } = this;
    inbox.value = { unread: 0, nudges: inbox.value.nudges.map((n) => ({ ...n, read: true })) };
    await net.read([]).catch(() => undefined);
    await this.readInbox();
  }

  async readStanding(): Promise<void> {
    try {
      this.standing.value = await net.standing(this.#editor.api.workflow);
    } catch {
      // The last one stays.
    }
  }

  /** What was told of a review has been seen. */
  async readReview(id: string): Promise<void> {
    const ids = this.inbox.value.nudges.filter((n) => n.review === id && !n.read).map((n) => n.id);
    if (ids.length === 0) return;
    await net.read(ids).catch(() => undefined);
    await this.readInbox();
  }

  #heard(frame: DraftFrame): void {
    if (frame.t === "hello") void this.load();
    else if (frame.t === "nudge") void this.readInbox();
    else if (frame.t === "review") void this.readStanding();
    else if (frame.t === "op") this.#edited(frame.seq);
    else if (frame.t === "thread") void this.#changed(frame.id);
  }

  #edited(seq: number): void {
    const { standing } = this;
    if (standing.value && seq > standing.value.seq) standing.value = { ...standing.value, seq };
  }

  async #changed(id: string): Promise<void> {
    const before = this.threads.value.find((th) => th.id === id)?.last ?? 0;
    const thread = await this.#read(id);
    const last = thread?.comments.at(-1);
    if (last && last.n > before && last.by.id !== this.me)
      this.#editor.say(t("talk.said.new", { name: last.by.name }));
  }

  // -- where one looks

  show(): void {
    this.#editor.session.panel.value = "comments";
  }

  list(step?: string): void {
    batch(() => {
      this.open.value = undefined;
      this.whole.value = undefined;
      this.writing.value = undefined;
      this.step.value = step;
    });
  }

  /** Opens a thread and shows its step. */
  async look(id: string, jump = true): Promise<void> {
    this.show();
    batch(() => {
      this.open.value = id;
      this.whole.value = undefined;
      this.gone.value = false;
      this.writing.value = undefined;
    });
    const node = (await this.#read(id))?.node ?? "";
    if (jump) this.jump(node);
  }

  jump(node: string): void {
    const { kernel, drawing } = this.#editor;
    if (!drawing.nodes.has(node)) return;
    kernel.select({ nodes: [node] });
    kernel.reveal([node], true);
  }

  /** What was said on a step: its one thread, or the list of them. */
  of(node: string): void {
    const on = this.threads.value.filter((th) => th.node === node && !th.resolved);
    const [only, ...more] = on;
    this.show();
    if (only && more.length === 0) void this.look(only.id, false);
    else {
      this.filter.value = "open";
      this.list(node);
    }
  }

  /** Begins to write on a step, or without one on the workflow. */
  write(node = ""): void {
    this.show();
    if (!this.may) {
      this.list(node === "" ? undefined : node);
      return;
    }
    batch(() => {
      this.list(this.step.value);
      this.writing.value = node;
    });
  }

  // -- what one does

  async begin(node: string, said: Said): Promise<void> {
    const thread = await net.begin(this.#editor.api.workflow, node, said);
    this.#put(thread);
    batch(() => {
      this.writing.value = undefined;
      this.open.value = thread.id;
      this.whole.value = thread;
      this.gone.value = false;
    });
    this.#editor.say(t("talk.said.sent"));
  }

  async reply(id: string, said: Said): Promise<void> {
    this.#put(await net.reply(id, said));
    this.#editor.say(t("talk.said.sent"));
    await this.#see();
  }

  async edit(id: string, said: Said): Promise<void> {
    this.#put(await net.edit(id, said));
  }

  async remove(thread: string, id: string): Promise<void> {
    await net.remove(id);
    await this.#read(thread);
    this.#editor.say(t("talk.said.deleted"));
  }

  async settle(thread: Thread): Promise<void> {
    const how = thread.resolved ? "reopen" : "resolve";
    this.#put(await net.settle(thread.id, how));
    this.#editor.say(t(how === "resolve" ? "talk.said.resolved" : "talk.said.reopened"));
  }

  async readMembers(): Promise<void> {
    if (this.members.value.length > 0) return;
    const all = await net.members().catch(() => []);
    this.members.value = all.filter((m) => m.id !== this.me);
  }

  // -- what the server says

  async #read(id: string): Promise<Thread | undefined> {
    try {
      const thread = await net.thread(id);
      this.#put(thread);
      await this.#see();
      return thread;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.#drop(id);
      return undefined;
    }
  }

  #put(thread: Thread): void {
    const others = this.threads.value.filter((th) => th.id !== thread.id);
    const list = [thread, ...others].sort((a, b) => b.last_at.localeCompare(a.last_at));
    batch(() => {
      this.#set(list);
      if (this.open.value === thread.id) this.whole.value = thread;
    });
  }

  #drop(id: string): void {
    batch(() => {
      this.#set(this.threads.value.filter((th) => th.id !== id));
      if (this.open.value !== id) return;
      this.whole.value = undefined;
      this.gone.value = true;
    });
  }

  #set(list: readonly Thread[]): void {
    this.threads.value = list;
    this.#editor.session.unread.value = list.filter((th) => th.unread > 0).length;
  }

  /** The open thread has been seen, once somebody can see it. */
  async #see(): Promise<void> {
    const thread = this.whole.value;
    const shown = this.#editor.session.panel.value === "comments" && !document.hidden;
    if (!thread || thread.unread === 0 || !shown) return;
    this.#put({ ...thread, unread: 0 });
    await net.seen(thread.id, thread.last).catch(() => undefined);
  }
}
