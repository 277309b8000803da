// Every key of the editor.

import type { Command } from "../../core/keymap.ts";
import { KEYMAP } from "../../core/keymap.ts";
import { keyWords } from "../shell/keys.ts";
import { t } from "../strings.ts";
import { Modal } from "./modal.tsx";

const groups: readonly (readonly [string, readonly Command[]])[] = [
  [
    "editor.keys.build",
    [
      "add",
      "connect",
      "rename",
      "duplicate",
      "delete",
      "deleteRejoin",
      "disable",
      "pin",
      "note",
      "comment",
      "tidy",
      "group",
      "ungroup",
      "fold",
    ],
  ],
  [
    "editor.keys.walk",
    [
      "focusLeft",
      "focusRight",
      "focusUp",
      "focusDown",
      "followDown",
      "followUp",
      "open",
      "escape",
      "selectAll",
      "selectDownstream",
      "selectUpstream",
    ],
  ],
  ["editor.keys.move", ["nudgeLeft", "pushLeft"]],
  [
    "editor.keys.look",
    [
      "toolSelect",
      "toolHand",
      "fitAll",
      "fitSelection",
      "zoomActual",
      "zoomIn",
      "zoomOut",
      "inspector",
      "outline",
      "find",
    ],
  ],
  ["editor.keys.do", ["undo", "redo", "testRun", "runToHere", "breakpoint", "palette", "help"]],
];

export function KeysDialog() {
  return (
    <Modal title={t("editor.keys")} wide>
      <div class="body ed-keys">
        {groups.map(([title, commands]) => (
          <section key={title}>
            <h3>{t(title as "editor.keys.build")}</h3>
            <dl>
              {commands.map((command) => (
                <div key={command}>
                  <dt>{t(`editor.command.${command}` as "editor.command.add")}</dt>
                  <dd>
                    {combosOf(command).map((combo) => (
                      <kbd key={combo}>{keyWords(combo)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <p class="hint">{t("editor.keys.note")}</p>
      </div>
    </Modal>
  );
}

function combosOf(command: Command): readonly string[] {
  return Object.entries(KEYMAP)
    .filter(([, c]) => c === command)
    .map(([combo]) => combo)
    .slice(0, 2);
}
