// The requests of comments, and what they answer.

import type { Named } from "../../core/said.ts";
import type { Person } from "../net/api.ts";
import { call } from "../net/api.ts";

export type Comment = {
  readonly id: string;
  readonly n: number;
  readonly by: Person;
  readonly text: string;
  readonly mentions: readonly Named[];
  readonly created_at: string;
  readonly edited_at?: string;
  readonly deleted?: boolean;
};

export type Thread = {
  readonly id: string;
  /** Id of the step; empty: about the workflow as a whole. */
  readonly node: string;
  /** What the step was called when the thread began. */
  readonly title: string;
  readonly last_at: string;
  readonly last: number;
  readonly count: number;
  readonly unread: number;
  readonly resolved?: { readonly by: Person; readonly at: string };
  /** In a list only the first one. */
  readonly comments: readonly Comment[];
};

export type Nudge = {
  readonly id: string;
  readonly kind: "mention" | "reply" | "asked" | "approved" | "changes";
  readonly by: string;
  readonly at: string;
  readonly read: boolean;
  readonly workflow: string;
  readonly name: string;
  readonly thread?: string;
  readonly review?: string;
  readonly title?: string;
  readonly text: string;
  readonly href: string;
};

export type Inbox = { readonly unread: number; readonly nudges: readonly Nudge[] };

export type Review = {
  readonly id: string;
  readonly note: string;
  readonly by: Person;
  readonly at: string;
  readonly reviewers: readonly Person[];
  readonly state: "open" | "approved" | "changes";
  readonly decision?: {
    readonly by: Person;
    readonly at: string;
    readonly note: string;
    /** Position of the draft that was looked at. */
    readonly seq: number;
  };
};

/** How the draft stands. */
export type Standing = {
  /** Publishing needs an approval. */
  readonly required: boolean;
  /** Position of the draft. */
  readonly seq: number;
  readonly review?: Review;
};

export type Member = Named & {
  /** Their role lets them draw, publish and review. */
  readonly draws: boolean;
};

export type Said = { readonly text: string; readonly mentions: readonly string[] };

type One = { readonly thread: Thread };

const path = (kind: string, id: string): string => `/api/${kind}/${encodeURIComponent(id)}`;

export const net = {
  list: async (workflow: string) =>
    (await call<{ threads: readonly Thread[] }>("GET", `${path("workflows", workflow)}/threads`))
      .threads,
  thread: async (id: string) => (await call<One>("GET", path("threads", id))).thread,
  begin: async (workflow: string, node: string, said: Said) =>
    (await call<One>("POST", `${path("workflows", workflow)}/threads`, { node, ...said })).thread,
  reply: async (id: string, said: Said) =>
    (await call<One>("POST", `${path("threads", id)}/comments`, said)).thread,
  settle: async (id: string, how: "resolve" | "reopen") =>
    (await call<One>("POST", `${path("threads", id)}/${how}`)).thread,
  edit: async (id: string, said: Said) =>
    (await call<One>("PATCH", path("comments", id), said)).thread,
  remove: (id: string) => call("DELETE", path("comments", id)),
  seen: (id: string, n: number) => call("PUT", `${path("threads", id)}/read`, { n }),
  inbox: () => call<Inbox>("GET", "/api/inbox?limit=20"),
  read: (ids: readonly string[]) => call("POST", "/api/inbox/read", { ids }),
  standing: (workflow: string) => call<Standing>("GET", `${path("workflows", workflow)}/review`),
  ask: (workflow: string, seq: number, note: string, reviewers: readonly string[]) =>
    call("POST", `${path("workflows", workflow)}/review`, { seq, note, reviewers }),
  decide: (id: string, how: "approve" | "changes", seq: number, note: string) =>
    call("POST", `${path("reviews", id)}/${how}`, { seq, note }),
  withdraw: (id: string) => call("POST", `${path("reviews", id)}/withdraw`),
  members: async (): Promise<readonly Member[]> => {
    const { members } = await call<{ members: readonly (Named & { role: string })[] }>(
      "GET",
      "/api/members",
    );
    return members.map(({ id, name, role }) => ({ id, name, draws: draws(role) }));
  },
};

/** Whether a role may change drawings. */
export function draws(role: string | undefined): boolean {
  return role !== undefined && !["viewer", "operator", "guest"].includes(role);
}
