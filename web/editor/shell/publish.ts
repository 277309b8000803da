// Whether there is anything to publish.

import type { Editor } from "../state/editor.ts";
import type { Session } from "../state/signals.ts";
import { t } from "../strings.ts";

/** Why there is nothing to publish: the draft is what the active version is. */
export function sameAs({ workflow, dirty, save }: Session): string | undefined {
  const n = workflow.value.active_version;
  const same = n > 0 && dirty.value === 0 && save.value.is === "saved";
  return same ? t("editor.publish.same", { n }) : undefined;
}

export function openPublish(editor: Editor): void {
  const same = sameAs(editor.session);
  if (same) editor.toast(same);
  else editor.session.dialog.value = "publish";
}
