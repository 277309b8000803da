// The share dialog, when its code has come.

import { useMemo } from "preact/hooks";
import { useEditor } from "../context.ts";
import { lazy } from "../lazy.tsx";

export function ShareDialog() {
  const editor = useEditor();
  const { session } = editor;
  const Loaded = useMemo(
    () =>
      lazy(async () => {
        const { ShareDialog: Dialog } = await import("../../sharing/dialog.tsx");
        const subject = {
          target: "workflow",
          id: editor.api.workflow,
          name: session.workflow.value.name,
        } as const;
        const close = () => {
          session.dialog.value = undefined;
        };
        return () => <Dialog subject={subject} close={close} />;
      }),
    [editor],
  );
  return <Loaded />;
}
