// Small parts that comments are made of.

import { partsOf } from "../../core/said.ts";
import { language } from "../../core/strings.ts";
import { ago } from "../../ui/ago.ts";
import { useEditor } from "../context.ts";
import type { Comment } from "./net.ts";
import type { Talk } from "./talk.ts";

/** The page's comments; there are none before their code and the drawing are here. */
export function useTalk(): Talk | undefined {
  return useEditor().session.talk.value;
}

export function Avatar({ name }: { readonly name: string }) {
  return (
    <span class={`av ${tint(name)}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** The same as on the pages, from the name. */
function tint(name: string): string {
  let sum = 0;
  for (const c of name) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) % 6_000_000;
  return `a${sum % 6}`;
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return `${words[0]?.[0] ?? ""}${words.length > 1 ? (words.at(-1)?.[0] ?? "") : (words[0]?.[1] ?? "")}`;
}

export function Ago({ at, talk }: { readonly at: string; readonly talk: Talk }) {
  const date = new Date(at);
  return (
    <time class="tn" dateTime={at} title={date.toLocaleString(language())}>
      {ago(Math.max(0, talk.now.value - date.getTime()), date)}
    </time>
  );
}

/** What was said: names stand out, addresses lead away, everything else is text. */
export function Text({ comment, me }: { readonly comment: Comment; readonly me?: string }) {
  const names = comment.mentions.map((m) => m.name);
  const mine = comment.mentions.find((m) => m.id === me)?.name;
  return (
    <p class="tk-text" dir="auto">
      {partsOf(comment.text, names).map((part, i) => {
        if (part.is === "link")
          return (
            <a key={i} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
              {part.text}
            </a>
          );
        if (part.is === "name")
          return (
            <b key={i} class={part.text === `@${mine ?? ""}` ? "tk-name me" : "tk-name"}>
              {part.text}
            </b>
          );
        return part.text;
      })}
    </p>
  );
}
