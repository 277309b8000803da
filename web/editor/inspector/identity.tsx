// What a step is in the graph: its key, its address.

import { useId, useState } from "preact/hooks";
import { goodKey } from "../../core/check.ts";
import type { GraphNode } from "../../core/graph.ts";
import { renameKeyOf } from "../actions/rename-key.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { t } from "../strings.ts";

export function KeyField({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const text = typed ?? node.key;
  const taken = editor.drawing.byKey(text);
  const fault = faultOf(text, taken !== undefined && taken.id !== node.id);
  const issues = editor.session.issues.value.filter(
    (i) => i.node === node.id && i.field === "/key",
  );
  const commit = () => {
    if (typed !== undefined && fault === undefined) renameKeyOf(editor, node.id, typed);
    setTyped(undefined);
  };
  const message = fault ?? issues[0]?.message;
  return (
    <div class="ed-field" data-field="/key">
      <label class="lab" for={id}>
        {t("editor.key")}
      </label>
      <input
        id={id}
        class="inp mono"
        autocomplete="off"
        spellcheck={false}
        maxLength={40}
        value={text}
        readOnly={editor.session.readOnly.value}
        aria-invalid={message !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onInput={(e) => setTyped(e.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(e) => {
          if (e.key === "Enter") commit();
          if (e.key === "Escape" && typed !== undefined) {
            e.preventDefault();
            setTyped(undefined);
          }
        }}
      />
      {message === undefined ? (
        <p class="hint" id={`${id}-help`}>
          {t("editor.key.help")} <code>nodes.{node.key}.output</code>
        </p>
      ) : (
        <p class="err" id={`${id}-help`}>
          <Icon name="circle-alert" />
          <span>{message}</span>
        </p>
      )}
    </div>
  );
}

function faultOf(key: string, taken: boolean): string | undefined {
  if (taken) return t("editor.key.taken");
  return goodKey(key) ? undefined : t("editor.key.bad");
}

/** Where a webhook listens. */
export function WebhookAddress({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const id = useId();
  const address = editor.session.hooks.value[node.id];
  if (node.kind !== "webhook") return null;
  const copy = async () => {
    if (address === undefined) return;
    await navigator.clipboard.writeText(address);
    editor.toast(t("editor.copied"));
  };
  return (
    <div class="ed-field">
      <label class="lab" for={id}>
        {t("editor.hook")}
      </label>
      {address === undefined ? (
        <p class="hint">{t("editor.hook.none")}</p>
      ) : (
        <div class="ed-copy">
          <input
            id={id}
            class="inp mono"
            readOnly
            value={address}
            onFocus={(e) => e.currentTarget.select()}
          />
          <button
            type="button"
            class="btn sq"
            aria-label={t("editor.hook.copy")}
            title={t("editor.hook.copy")}
            onClick={() => void copy()}
          >
            <Icon name="copy" />
          </button>
        </div>
      )}
    </div>
  );
}
