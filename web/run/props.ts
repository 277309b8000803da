// What the page and the API say of a run.

export type PageRun = {
  readonly id: string;
  readonly workflow: { readonly id: string; readonly name: string };
  readonly version: { readonly id: string; readonly number: number };
  readonly status: string;
  readonly source: string;
  readonly test: boolean;
  readonly trigger: string;
  readonly created_at: string;
  readonly ended_at?: string | undefined;
  readonly error?: string | undefined;
  /** The run that this one began as, and the last event that they share. */
  readonly forked_from?: { readonly run: string; readonly at: number } | undefined;
};

export type PageProps = {
  readonly run: PageRun;
  readonly user?: { readonly id: string; readonly name: string; readonly role: string } | null;
};

/** The page's JSON island. */
export function readProps<T>(): T | undefined {
  const text = document.getElementById("props")?.textContent;
  return text === undefined || text === null || text === "" ? undefined : (JSON.parse(text) as T);
}
