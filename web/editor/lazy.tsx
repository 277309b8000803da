// Parts whose code is loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component that appears as soon as its code is here. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
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
    return Loaded ? <Loaded /> : null;
  };
}
