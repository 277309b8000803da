// The controls of a test run, on its page; their code comes when there are any.

import { useEffect, useMemo, useState } from "preact/hooks";
import { t } from "../core/strings.ts";
import type { RunStore } from "./store.ts";
import { toast } from "./toast.ts";

type Controls = typeof import("../rig/index.ts").controls;

export function RunRig({ store }: { readonly store: RunStore }) {
  store.version.value;
  const [code, setCode] = useState<Controls | undefined>(undefined);
  const { test } = store.trace.live;
  const needed =
    test !== undefined &&
    store.info.operates &&
    !store.over.value &&
    store.cursor.value === undefined &&
    (test.arranged.virtual || test.arranged.breaks !== undefined || test.held !== undefined);
  useEffect(() => {
    if (needed && code === undefined)
      void import("../rig/index.ts").then((m) => setCode(m.controls));
  }, [needed, code]);
  const rig = useMemo(
    () => code && new code.Rig(store.info.id, (text) => toast(text, "fail")),
    [code, store],
  );
  if (!needed || code === undefined || rig === undefined) return null;
  return (
    <section class="rig" aria-label={t("rig.region")}>
      <code.RigBar
        rig={rig}
        test={test}
        status={store.status.value}
        title={(key) => store.title(key)}
      />
    </section>
  );
}
