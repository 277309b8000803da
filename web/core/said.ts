// The text of a comment: what of it is a link or a name, and what is being
// named while it is written. Comments are plain text; nothing in them is HTML.

export type Part =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "link"; readonly text: string; readonly href: string }
  | { readonly is: "name"; readonly text: string };

// Only addresses of the web are links; what closes a sentence or a bracket
// after one is no part of it.
const address = /\bhttps?:\/\/[^\s<>"'`]+/giu;
const after = /[.,;:!?…。，；：！？、)\]}】）」』»]$/u;

/** The text in pieces; names are those of the people whom it mentions. */
export function partsOf(text: string, names: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const found of text.matchAll(address)) {
    const link = trimmed(found[0]);
    if (!isPlain(link)) continue;
    parts.push(...named(text.slice(from, found.index), names));
    parts.push({ is: "link", text: link, href: link });
    from = found.index + link.length;
  }
  parts.push(...named(text.slice(from), names));
  return parts;
}

/** Without what closes the sentence; a bracket that the address opened stays. */
function trimmed(link: string): string {
  let text = link;
  while (after.test(text)) {
    const closes = text.endsWith(")") && count(text, "(") >= count(text, ")");
    if (closes) return text;
    text = text.slice(0, -1);
  }
  return text;
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** An address that hides where it leads behind a name is shown as text. */
function isPlain(link: string): boolean {
  const host = /^https?:\/\/([^/?#]+)/iu.exec(link)?.[1] ?? "";
  return host !== "" && !host.includes("@") && !host.includes("\\");
}

function named(text: string, names: readonly string[]): Part[] {
  const longest = [...names].sort((a, b) => b.length - a.length);
  const parts: Part[] = [];
  let plain = "";
  for (let i = 0; i < text.length; ) {
    const name = text[i] === "@" ? longest.find((n) => text.startsWith(n, i + 1)) : undefined;
    if (name === undefined) {
      plain += text[i] ?? "";
      i++;
      continue;
    }
    if (plain !== "") parts.push({ is: "text", text: plain });
    plain = "";
    parts.push({ is: "name", text: `@${name}` });
    i += name.length + 1;
  }
  if (plain !== "") parts.push({ is: "text", text: plain });
  return parts;
}

export type Named = { readonly id: string; readonly name: string };

/** A name that is being written: from its @ to the caret. */
export type Naming = { readonly from: number; readonly query: string };

const longestQuery = 40;

/** What is being named before the caret, if anything is. */
export function namingAt(text: string, caret: number): Naming | undefined {
  const before = text.slice(Math.max(0, caret - longestQuery - 1), caret);
  const at = before.lastIndexOf("@");
  if (at < 0) return undefined;
  const query = before.slice(at + 1);
  // An address of mail is no name: before the @ there is no letter or digit.
  if (/[\p{L}\p{N}._-]$/u.test(before.slice(0, at)) && /^[\x20-\x7e]*$/.test(before.slice(0, at)))
    return undefined;
  if (/[\n\t]|^\s|\s{2}/.test(query)) return undefined;
  return { from: caret - query.length - 1, query };
}

/** The people who fit: whose name, or a part of it, begins so. */
export function fitting(people: readonly Named[], query: string, most = 6): readonly Named[] {
  const wanted = query.toLocaleLowerCase();
  const begins = (name: string) => name.toLocaleLowerCase().startsWith(wanted);
  const whole = people.filter((p) => begins(p.name));
  const part = people.filter((p) => !begins(p.name) && p.name.split(/\s+/).some(begins));
  return [...whole, ...part].slice(0, most);
}

/** The text with the name in it, and where the caret goes. */
export function withName(
  text: string,
  naming: Naming,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } {
  const put = `@${name} `;
  const rest = text.slice(caret).replace(/^ /, "");
  return { text: text.slice(0, naming.from) + put + rest, caret: naming.from + put.length };
}

/** Those of the people who were chosen and still stand in the text. */
export function mentioned(text: string, chosen: ReadonlyMap<string, string>): readonly string[] {
  return [...chosen].filter(([, name]) => text.includes(`@${name}`)).map(([id]) => id);
}
