// Which dialog is open.

import { useEditor } from "../context.ts";
import { DescribeDialog } from "../propose/ask.tsx";
import { SaveSnippet, Snippets } from "../snippets/dialogs.tsx";
import { CheckpointDialog } from "./checkpoint.tsx";
import { DeleteShared } from "./delete-shared.tsx";
import { KeysDialog } from "./keys.tsx";
import { Palette } from "./palette.tsx";
import { PublishDialog } from "./publish.tsx";
import { RunDialog } from "./run.tsx";
import { ShareDialog } from "./share.tsx";

export function Dialogs() {
  const { session } = useEditor();
  if (session.loading.value !== "ready") return null;
  switch (session.dialog.value) {
    case "publish":
      return <PublishDialog />;
    case "run":
      return <RunDialog />;
    case "share":
      return <ShareDialog />;
    case "keys":
      return <KeysDialog />;
    case "palette":
      return <Palette />;
    case "snippets":
      return <Snippets />;
    case "describe":
      return <DescribeDialog />;
    case "checkpoint":
      return <CheckpointDialog />;
    case "saveSnippet":
      return <SaveSnippet />;
    case "deleteShared":
      return <DeleteShared />;
    case undefined:
      return null;
  }
}
