// Icons come from the page's sprite, whose hashed address the page tells.

const spriteAddress =
  document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]')?.content ??
  "/static/dist/icons.svg";

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
