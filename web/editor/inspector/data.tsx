// What went in and out of a step last, and the pin that keeps it.

import type { ComponentChildren } from "preact";
import { tokenizeJSON } from "../../core/expr-tokens.ts";
import type { GraphNode } from "../../core/graph.ts";
import { language } from "../../core/strings.ts";
import { togglePin } from "../actions/edit.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { PortShapes } from "../ports/section.tsx";
import { specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { inputOf } from "./environment.ts";

const shownMax = 20_000; // characters of one value

export function DataTab({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const spec = specOf(editor, node);
  const seen = editor.session.samples.value.nodes[node.key];
  const pin = editor.drawing.place(node.id).pin;
  const output = pin ?? seen?.output;
  const example = output === undefined || output === null ? spec.output : undefined;
  return (
    <div class="ed-fields">
      {spec.no_input ? null : (
        <Value
          title={t("editor.data.input")}
          value={inputOf(editor, node)}
          empty={t("editor.data.noInput")}
        />
      )}
      <Value
        title={t("editor.data.output")}
        value={output ?? example}
        empty={t("editor.data.noOutput")}
        aside={
          <Origin
            pinned={pin !== undefined}
            example={example !== undefined}
            at={seen?.at}
            run={seen?.run}
          />
        }
      />
      <PinButton
        node={node}
        pinned={pin !== undefined}
        possible={output !== undefined && output !== null}
      />
      <PortShapes node={node} />
    </div>
  );
}

/** At the end of the settings: what the step gave last, in short. */
export function LastOutput({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const seen = editor.session.samples.value.nodes[node.key];
  const pin = editor.drawing.place(node.id).pin;
  const output = pin ?? seen?.output;
  if (output === undefined || output === null) return null;
  return (
    <div class="ed-last">
      <Value
        title={t("editor.data.last")}
        value={output}
        empty=""
        short
        aside={<Origin pinned={pin !== undefined} example={false} at={seen?.at} run={seen?.run} />}
      />
      <PinButton node={node} pinned={pin !== undefined} possible />
    </div>
  );
}

function PinButton({
  node,
  pinned,
  possible,
}: {
  readonly node: GraphNode;
  readonly pinned: boolean;
  readonly possible: boolean;
}) {
  const editor = useEditor();
  if (editor.session.readOnly.value || (!possible && !pinned)) return null;
  return (
    <button type="button" class="lnk" onClick={() => togglePin(editor, [node.id])}>
      <Icon name={pinned ? "pin-off" : "pin"} />
      {t(pinned ? "editor.data.unpin" : "editor.data.pin")}
    </button>
  );
}

function Origin({
  pinned,
  example,
  at,
  run,
}: {
  readonly pinned: boolean;
  readonly example: boolean;
  readonly at: string | undefined;
  readonly run: string | undefined;
}) {
  if (pinned) {
    return (
      <span class="chip">
        <Icon name="pin" />
        {t("editor.data.pinned")}
      </span>
    );
  }
  if (example) return <span class="hint">{t("editor.data.example")}</span>;
  if (at === undefined) return null;
  const when = new Date(at).toLocaleString(language());
  return run === undefined ? (
    <span class="hint">{when}</span>
  ) : (
    <a class="lnk" href={`/runs/${encodeURIComponent(run)}`}>
      {when}
    </a>
  );
}

function Value({
  title,
  value,
  empty,
  aside,
  short = false,
}: {
  readonly title: string;
  readonly value: unknown;
  readonly empty: string;
  readonly aside?: ComponentChildren;
  readonly short?: boolean;
}) {
  return (
    <section class="ed-value">
      <div class="lab">
        <h3>{title}</h3>
        {aside}
      </div>
      {value === undefined || value === null ? (
        <p class="hint">{empty}</p>
      ) : (
        <JSONText value={value} what={title} short={short} />
      )}
    </section>
  );
}

export function JSONText({
  value,
  what,
  short = false,
}: {
  readonly value: unknown;
  readonly what: string; // of what it is the value
  readonly short?: boolean;
}) {
  const whole = JSON.stringify(value, undefined, 2) ?? "";
  const text = whole.length > shownMax ? `${whole.slice(0, shownMax)}\n…` : whole;
  return (
    // A long value scrolls, so it has to be reachable by keyboard.
    <pre
      class={short ? "ed-json short" : "ed-json"}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable region
      tabIndex={0}
      aria-label={t("editor.data.json", { what })}
      role="region"
    >
      {tokenizeJSON(text).map((token) => (
        <span key={token.from} class={`x-${token.kind}`}>
          {text.slice(token.from, token.to)}
        </span>
      ))}
    </pre>
  );
}
