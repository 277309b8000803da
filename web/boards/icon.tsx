// Icons come from the page's sprite, whose hashed address the page tells.

const sprite = document.querySelector<HTMLMetaElement>('meta[name="sb-icons"]')?.content ?? "";

export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="i" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
