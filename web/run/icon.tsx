// Icons come from the page's sprite, whose hashed address the page tells.

const sprite = document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]')?.content ?? "";

/** The address of an icon in the sprite. */
export function iconAddress(name: string): string {
  return `${sprite}#${name}`;
}

export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="i" aria-hidden="true">
      <use href={iconAddress(name)} />
    </svg>
  );
}

/** The ring that turns while something runs. */
export function Ring({ small = false }: { readonly small?: boolean }) {
  return (
    <svg class={small ? "ring sm" : "ring"} viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="8" />
      <circle cx="10" cy="10" r="8" />
    </svg>
  );
}
