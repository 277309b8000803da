// Calls of the server, and the doors of the live client.

import type { Doors, WireEvents } from "../core/run-client.ts";
import { Denied } from "../core/run-client.ts";
import { readBriefs } from "../core/run-event.ts";
import { said } from "../core/sentence.ts";
import { t } from "../core/strings.ts";

/** Calls the API; throws Refusal with a sentence for a person. */
export async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refusal(0, t("shell.offline"));
  }
  const value = await read(answer);
  if (!answer.ok) throw new Refusal(answer.status, sentence(value));
  return value;
}

/** An answer that says no, in words for a person. */
export class Refusal extends Denied {
  constructor(status: number, message: string) {
    super(status);
    this.message = message;
  }
}

export function message(fault: unknown): string {
  return fault instanceof Refusal ? fault.message : t("shell.failed");
}

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text();
  try {
    return text === "" ? {} : (JSON.parse(text) as unknown);
  } catch {
    return {};
  }
}

function sentence(problem: unknown): string {
  const detail = at(problem, "detail");
  return typeof detail === "string" && detail !== "" ? said(detail) : t("shell.failed");
}

/** A member of a value that came from outside. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

/** The doors for a member; a guest has a ticket's address and no pages. */
export function doors(ticketAddress: string, eventsAddress?: string): Doors {
  return {
    ticket: async () => {
      const ticket = at(await call("POST", ticketAddress), "ticket");
      if (typeof ticket !== "string") throw new Denied(0);
      return ticket;
    },
    open,
    ...(eventsAddress === undefined
      ? {}
      : {
          page: async (after: number) =>
            readBriefs(
              at(await call("GET", `${eventsAddress}?after=${after}&limit=1000`), "events"),
            ),
        }),
    later: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}

function open(events: WireEvents) {
  const address = new URL("/ws", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.addEventListener("open", () => events.opened());
  socket.addEventListener("message", (e) => {
    if (typeof e.data === "string") events.message(e.data);
  });
  socket.addEventListener("close", (e) => events.closed(e.code));
  return {
    send: (text: string) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}
