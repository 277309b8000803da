// Asks before something goes that somebody else has chosen too.

import { useEditor } from "../context.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

export function DeleteShared() {
  const { session } = useEditor();
  const doomed = session.doomed.value;
  if (!doomed) return null;
  const leave = () => {
    session.dialog.value = undefined;
  };
  return (
    <Modal
      title={t("editor.shared.delete")}
      footer={
        <>
          <button type="button" class="btn" onClick={leave}>
            {t("editor.cancel")}
          </button>
          <button
            type="button"
            class="btn pri dng"
            onClick={() => {
              leave();
              doomed.go();
            }}
          >
            {t("editor.shared.go")}
          </button>
        </>
      }
    >
      <p class="body">{t("editor.shared.why", { who: doomed.who })}</p>
    </Modal>
  );
}
