// What the share dialog asks and gets.

import { at, call } from "../run/net.ts";

export type Scope = "view" | "run" | "copy";

export type Subject = {
  readonly target: "workflow" | "run";
  readonly id: string;
  readonly name: string;
};

/** What a person chooses about a link. */
export type Choice = {
  readonly scope: Scope;
  /** Id of a version; empty: the published one. */
  readonly version: string;
  readonly lasts: string;
  readonly data: boolean;
  readonly forks: boolean;
  readonly listed: boolean;
  readonly origins: string;
};

export const usual: Choice = {
  scope: "view",
  version: "",
  lasts: "720h",
  data: false,
  forks: false,
  listed: false,
  origins: "",
};

export type Preview = {
  readonly picture: string;
  readonly graph: unknown;
  readonly form?: unknown;
  readonly file?: unknown;
  readonly data?: unknown;
  readonly events?: number;
};

export type Link = {
  readonly id: string;
  readonly url: string | undefined;
  readonly scope: string;
  readonly listed: boolean;
  readonly views: number;
  readonly viewed: string | undefined;
  readonly expires: string | undefined;
};

export type Version = { readonly id: string; readonly number: number };

/** The choice as the API takes it. */
export function asked(subject: Subject, c: Choice): object {
  const origins = c.origins.split(/[\s,]+/).filter((o) => o !== "");
  return {
    ...(c.version === ""
      ? { target: subject.target, id: subject.id }
      : { target: "version", id: c.version }),
    scope: c.scope,
    expires_in: c.lasts,
    ...(c.data ? { with_data: true } : {}),
    ...(c.forks ? { forks: true } : {}),
    ...(c.listed ? { listed: true } : {}),
    ...(origins.length > 0 ? { origins } : {}),
  };
}

export async function preview(subject: Subject, c: Choice): Promise<Preview> {
  return (await call("POST", "/api/shares/preview", asked(subject, c))) as Preview;
}

export async function make(subject: Subject, c: Choice): Promise<string> {
  const url = at(await call("POST", "/api/shares", asked(subject, c)), "share", "url");
  if (typeof url !== "string") throw new Error("the answer has no address");
  return url;
}

export async function revoke(id: string): Promise<void> {
  await call("DELETE", `/api/shares/${id}`);
}

/** The open links to these, the newest first. */
export async function links(ids: readonly string[]): Promise<readonly Link[]> {
  const list = at(await call("GET", "/api/shares"), "shares");
  if (!Array.isArray(list)) return [];
  return list.flatMap((x: unknown) => {
    const target = at(x, "target_id");
    const id = at(x, "id");
    if (typeof id !== "string" || typeof target !== "string" || !ids.includes(target)) return [];
    return [
      {
        id,
        url: text(at(x, "url")),
        scope: text(at(x, "scope")) ?? "view",
        listed: at(x, "listed") === true,
        views: Number(at(x, "views") ?? 0),
        viewed: text(at(x, "viewed_at")),
        expires: text(at(x, "expires_at")),
      },
    ];
  });
}

export async function versions(workflow: string): Promise<readonly Version[]> {
  const list = at(await call("GET", `/api/workflows/${workflow}/versions`), "versions");
  if (!Array.isArray(list)) return [];
  return list.flatMap((v: unknown) => {
    const [id, number] = [at(v, "id"), at(v, "number")];
    return typeof id === "string" && typeof number === "number" ? [{ id, number }] : [];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
