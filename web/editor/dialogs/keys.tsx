// Every key of the editor, each of which a person can change, and what the
// wheel of the mouse does.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Command } from "../../core/keymap.ts";
import { comboOf, KEYMAP } from "../../core/keymap.ts";
import { NO_OWN_KEYS, refusalOf } from "../../core/rebind.ts";
import type { Wheel } from "../../kernel/api.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { keyWords } from "../shell/keys.ts";
import { ownKeys, setOwnKeys, setWheel, wheel } from "../state/hands.ts";
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
  [
    "editor.keys.move",
    [
      "nudgeLeft",
      "nudgeRight",
      "nudgeUp",
      "nudgeDown",
      "pushLeft",
      "pushRight",
      "pushUp",
      "pushDown",
    ],
  ],
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
  [
    "editor.keys.do",
    ["undo", "redo", "testRun", "runToHere", "breakpoint", "checkpoint", "palette", "help"],
  ],
];

const wheels: readonly Wheel[] = ["auto", "pan", "zoom"];

export function KeysDialog() {
  const editor = useEditor();
  const name = useId();
  const own = ownKeys.value;
  const changed = own.noLetters || Object.keys(own.combos).length > 0;
  return (
    <Modal title={t("editor.keys")} wide>
      <div class="body">
        <div class="ed-hands">
          <fieldset>
            <legend class="lab">{t("editor.wheel")}</legend>
            <div class="seg">
              {wheels.map((one) => (
                <label key={one}>
                  <input
                    class="sr"
                    type="radio"
                    name={name}
                    checked={wheel.value === one}
                    onChange={() => setWheel(editor, one)}
                  />
                  {t(`editor.wheel.${one as "auto"}`)}
                </label>
              ))}
            </div>
            <p class="hint">{t("editor.wheel.help")}</p>
          </fieldset>
          <label class="ed-field w-switch">
            <span class="lab">{t("editor.keys.letters")}</span>
            <input
              class="switch"
              type="checkbox"
              role="switch"
              checked={!own.noLetters}
              onChange={(e) => setOwnKeys({ ...own, noLetters: !e.currentTarget.checked })}
            />
            <p class="hint">{t("editor.keys.lettersHelp")}</p>
          </label>
        </div>
        <div class="ed-keys">
          {groups.map(([title, commands]) => (
            <section key={title}>
              <h3>{t(title as "editor.keys.build")}</h3>
              <dl>
                {commands.map((command) => (
                  <Row key={command} command={command} />
                ))}
              </dl>
            </section>
          ))}
        </div>
        <p class="hint">{t("editor.keys.note")}</p>
        {changed ? (
          <button type="button" class="btn sm" onClick={() => setOwnKeys(NO_OWN_KEYS)}>
            <Icon name="rotate-ccw" />
            {t("editor.keys.reset")}
          </button>
        ) : null}
      </div>
    </Modal>
  );
}

const titleOf = (command: Command) => t(`editor.command.${command}` as "editor.command.add");

/** A command with its keys; a click waits for others. */
function Row({ command }: { readonly command: Command }) {
  const [asks, setAsks] = useState(false);
  const [why, setWhy] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const own = ownKeys.value;
  useEffect(() => {
    if (!asks) return;
    const key = (event: KeyboardEvent) => {
      if (["Control", "Meta", "Alt", "Shift"].includes(event.key)) return;
      // The list must not close, nor anything else answer.
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === "Escape" || event.key === "Tab") {
        setAsks(false);
        return;
      }
      const off = event.key === "Backspace" || event.key === "Delete";
      const combo = off ? "" : comboOf(event);
      const refused = off ? undefined : refusalOf(KEYMAP, command, combo);
      if (refused !== undefined) {
        const by = refused.by === undefined ? "" : titleOf(refused.by);
        setWhy(t(`editor.keys.refused.${refused.why}`, { key: keyWords(combo), by }));
        return;
      }
      setOwnKeys({ ...own, combos: { ...own.combos, [command]: combo } });
      setAsks(false);
    };
    window.addEventListener("keydown", key, true);
    return () => window.removeEventListener("keydown", key, true);
  }, [asks, own]);
  const combos = combosOf(command);
  return (
    <div class={own.combos[command] === undefined ? undefined : "own"}>
      <dt>{titleOf(command)}</dt>
      <dd>
        <button
          ref={button}
          type="button"
          class="ed-key"
          title={t("editor.keys.change")}
          aria-pressed={asks}
          onClick={() => {
            setWhy("");
            setAsks(!asks);
          }}
          onBlur={() => setAsks(false)}
        >
          <span class="sr">{titleOf(command)}: </span>
          {asks ? <em>{t("editor.keys.press")}</em> : null}
          {!asks && combos.length === 0 ? <em>{t("editor.keys.none")}</em> : null}
          {asks ? null : combos.map((combo) => <kbd key={combo}>{keyWords(combo)}</kbd>)}
        </button>
        {why === "" ? null : (
          <p role="alert" class="err">
            {why}
          </p>
        )}
      </dd>
    </div>
  );
}

function combosOf(command: Command): readonly string[] {
  return Object.entries(KEYMAP)
    .filter(([, c]) => c === command)
    .map(([combo]) => combo)
    .slice(0, 2);
}
