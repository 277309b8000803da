// Parts whose code is loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../core/strings.ts";
import { useEditor } from "./context.ts";

/** A component that appears as soon as its code is here; until then, what stands in for it. */
export function lazy(load: () => Promise<ComponentType>, Meanwhile?: ComponentType): ComponentType {
  let loaded: ComponentType | undefined;
  return function Lazy() {
    const [, arrived] = useState(false);
    const editor = useEditor();
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          arrived(true);
        },
        () => {
          // Many parts come in one piece: it is told once.
          const text = t("shell.part.lost");
          if (editor.session.toasts.value.every((shown) => shown.text !== text))
            editor.toast(text, { tone: "fail" });
        },
      );
    }, []);
    const Loaded = loaded;
    if (Loaded) return <Loaded />;
    return Meanwhile ? <Meanwhile /> : null;
  };
}
