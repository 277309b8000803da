// Icons come from the page's sprite, whose hashed address the page tells.

const spriteAddress =
  document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]')?.content ??
  "/static/dist/icons.svg";

/** The names of the icons that there are. */
export async function iconsThere(): Promise<ReadonlySet<string>> {
  try {
    const sprite = await (await fetch(spriteAddress)).text();
    return new Set([...sprite.matchAll(/id="([a-z0-9-]+)"/g)].map((m) => m[1] ?? ""));
  } catch {
    return new Set();
  }
}

export function Icon({ name, title }: { readonly name: string; readonly title?: string }) {
  return (
    <svg
      class="i"
      aria-hidden={title ? undefined : "true"}
      role={title ? "img" : undefined}
      aria-label={title}
    >
      <use href={`${spriteAddress}#${name}`} />
    </svg>
  );
}
