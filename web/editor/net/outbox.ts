// The edits that the server has not confirmed, kept in IndexedDB so that a
// reload or a crash loses none. Each tab has a record of its own; a record
// whose tab is gone is taken over by the next one that opens the workflow.

import type { Pending } from "../../core/sync.ts";

const database = "signalbox";
const storeName = "outbox";

type StoredRecord = {
  readonly key: string;
  readonly workflow: string;
  readonly tab: string;
  readonly pending: readonly Pending[];
};

export class Outbox {
  readonly #workflow: string;
  readonly #tab: string;
  #db: IDBDatabase | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(workflow: string, tab: string) {
    this.#workflow = workflow;
    this.#tab = tab;
  }

  /** Opens the store and returns what this tab, or a dead one, left behind. */
  async open(): Promise<readonly Pending[]> {
    try {
      this.#db = await openDatabase();
      holdLock(this.#lockName(this.#tab));
      const all = await request<StoredRecord[]>(this.#store("readonly").getAll());
      const alive = await heldLocks();
      const orphans = all.filter(
        (r) =>
          r.workflow === this.#workflow &&
          (r.tab === this.#tab || !alive.has(this.#lockName(r.tab))),
      );
      const pending = orphans.flatMap((r) => [...r.pending]);
      for (const orphan of orphans)
        if (orphan.tab !== this.#tab) this.#store("readwrite").delete(orphan.key);
      if (orphans.length > 0) this.keep(pending);
      return pending;
    } catch {
      return []; // private mode without IndexedDB: edits live as long as the page
    }
  }

  /** Writes the list, after the writes before it. */
  keep(pending: readonly Pending[]): void {
    this.#last = this.#last.then(() => this.#write(pending)).catch(() => undefined);
  }

  async #write(pending: readonly Pending[]): Promise<void> {
    if (!this.#db) return;
    const key = `${this.#workflow}:${this.#tab}`;
    if (pending.length === 0) {
      await request(this.#store("readwrite").delete(key));
      return;
    }
    const record: StoredRecord = { key, workflow: this.#workflow, tab: this.#tab, pending };
    await request(this.#store("readwrite").put(structuredClone(record)));
  }

  #store(mode: IDBTransactionMode): IDBObjectStore {
    if (!this.#db) throw new Error("the outbox is not open");
    return this.#db.transaction(storeName, mode).objectStore(storeName);
  }

  #lockName(tab: string): string {
    return `sb-outbox:${this.#workflow}:${tab}`;
  }
}

/** The name of this tab: it outlives a reload. */
export function tabName(): string {
  const key = "sb-tab";
  const known = sessionStorage.getItem(key);
  if (known !== null) return known;
  const fresh = crypto.randomUUID();
  sessionStorage.setItem(key, fresh);
  return fresh;
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(database, 1);
  opening.addEventListener("upgradeneeded", () => {
    opening.result.createObjectStore(storeName, { keyPath: "key" });
  });
  return request(opening);
}

function request<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.addEventListener("success", () => resolve(asked.result));
    asked.addEventListener("error", () => reject(asked.error ?? new Error("IndexedDB failed")));
  });
}

/** Holds a lock until the tab dies: that is how others know it is alive. */
function holdLock(name: string): void {
  void navigator.locks?.request(name, { ifAvailable: true }, () => new Promise(() => undefined));
}

async function heldLocks(): Promise<ReadonlySet<string>> {
  const state = await navigator.locks?.query();
  return new Set((state?.held ?? []).map((lock) => lock.name ?? ""));
}
