// Parts whose code is loaded when they are first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../core/strings.ts";
import { toast } from "./toast.ts";

type Props<P> = {
  /** The same function each time. */
  readonly load: () => Promise<ComponentType<P>>;
  readonly with: P;
};

export function Late<P>({ load, with: props }: Props<P>) {
  const [part, setPart] = useState<{ readonly Part: ComponentType<P> } | undefined>(undefined);
  useEffect(() => {
    let wanted = true;
    load().then(
      (Part) => {
        if (wanted) setPart({ Part });
      },
      () => toast(t("shell.part.lost"), "fail"),
    );
    return () => {
      wanted = false;
    };
  }, [load]);
  return part === undefined ? null : <part.Part {...(props as P & object)} />;
}
