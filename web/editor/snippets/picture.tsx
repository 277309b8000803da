// The drawing of a snippet, as the server draws it.

import { useEffect, useRef } from "preact/hooks";
import { drawing } from "../../importing/page.ts";

export function Picture({ id }: { readonly id: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let wanted = true;
    drawing(`/snippets/${encodeURIComponent(id)}/picture`)
      .then((svg) => {
        if (wanted && svg) place.current?.replaceChildren(svg);
      })
      .catch(() => place.current?.replaceChildren());
    return () => {
      wanted = false;
    };
  }, [id]);
  return <div class="ed-snip-pic" ref={place} />;
}
