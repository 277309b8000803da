// Parts whose code is loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component that appears as soon as its code is here; until then, what stands in for it. */
export function lazy(load: () => Promise<ComponentType>, Meanwhile?: ComponentType): ComponentType {
  let loaded: ComponentType | undefined;
  return function Lazy() {
    const [, arrived] = useState(false);
    useEffect(() => {
      if (loaded) return;
      void load().then((component) => {
        loaded = component;
        arrived(true);
      });
    }, []);
    const Loaded = loaded;
    if (Loaded) return <Loaded />;
    return Meanwhile ? <Meanwhile /> : null;
  };
}
