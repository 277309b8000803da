// Every word that a person reads comes from the one catalogue in web/strings.
// The page delivers the words of its language as a JSON island (#strings);
// a bundle may carry the English ones of its own part, which the island
// replaces.

export type Args = Readonly<Record<string, string | number>>;

export type Words = Readonly<Record<string, string>>;

/** The keys of a list of words; a plural's forms are one key. */
export type KeyOf<W> = keyof W extends infer K
  ? K extends `${infer Stem}.one` | `${infer Stem}.other`
    ? Stem | K
    : K
  : never;

let delivered: Words | undefined;

/** Gives the delivered words, instead of the page's island. */
export function setWords(words: Words): void {
  delivered = words;
}

/**
 * The sentence of a key with its {placeholders} filled. With a number n the
 * key may stand in the forms key.one and key.other. A key that nobody has is
 * answered by the key itself, so that a fault is seen and nothing breaks.
 */
export function t(key: string, args: Args = {}): string {
  return say(find(words(), key, args) ?? key, args);
}

/** As t, with words of one's own for what the page did not deliver. */
export function translator<W extends Words>(own: W) {
  return (key: KeyOf<W> & string, args: Args = {}): string =>
    say(find(words(), key, args) ?? find(own, key, args) ?? key, args);
}

/** The page's language, for dates and numbers. */
export function language(): string {
  const lang = page()?.documentElement?.lang;
  return lang === undefined || lang === "" ? "en" : lang;
}

function find(words: Words, key: string, args: Args): string | undefined {
  const n = args["n"];
  const forms =
    n === undefined
      ? [key]
      : [Number(n) === 1 ? `${key}.one` : `${key}.other`, `${key}.other`, key];
  for (const form of forms) if (Object.hasOwn(words, form)) return words[form];
  return undefined;
}

function say(word: string, args: Args): string {
  return word.replace(/\{(\w+)\}/g, (hole: string, name: string) => {
    const value = args[name];
    if (value === undefined) return hole;
    return typeof value === "number" ? value.toLocaleString(language()) : value;
  });
}

// This folder knows no DOM: the island is read through the narrowest shape
// that will do, and a worker or a test without a page gets no words from it.
type Page = {
  getElementById(id: string): { readonly textContent: string | null } | null;
  readonly documentElement?: { readonly lang: string };
};

function page(): Page | undefined {
  return (globalThis as { document?: Page }).document;
}

/** The words of one of the page's JSON islands. */
export function island(id: string): Words {
  const text = page()?.getElementById(id)?.textContent;
  return text === undefined || text === null || text === "" ? {} : (JSON.parse(text) as Words);
}

function words(): Words {
  delivered ??= island("strings");
  return delivered;
}
