// What the page tells its island.

export type BoardProps = {
  readonly workflows: readonly { readonly id: string; readonly name: string }[];
  /** Titles of kinds of nodes, by name. */
  readonly kinds: Readonly<Record<string, string>>;
};

/** The page's JSON island. */
export function readProps(): BoardProps {
  const text = document.getElementById("props")?.textContent ?? "";
  return text === "" ? { workflows: [], kinds: {} } : (JSON.parse(text) as BoardProps);
}
