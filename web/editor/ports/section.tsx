// In the inspector: what a step takes and what it gives.

import type { GraphNode } from "../../core/graph.ts";
import { useEditor } from "../context.ts";
import { specOf } from "../state/words.ts";
import { t } from "../strings.ts";
import { brokenBy, givenBy, seenOf } from "./seen.ts";
import { ShapeList } from "./shape.tsx";
import { ports } from "./store.ts";

export function PortShapes({ node }: { readonly node: GraphNode }) {
  const editor = useEditor();
  const at = ports.value.get(node.id);
  if (!at) return null;
  const spec = specOf(editor, node);
  return (
    <>
      {spec.no_input ? null : (
        <section class="ed-value">
          <div class="lab">
            <h3>{t("editor.shape.takes")}</h3>
          </div>
          <ShapeList
            shape={at.takes}
            any={t("editor.shape.takesAny")}
            label={t("editor.shape.takes")}
          />
          {brokenBy(at) ? <p class="ed-shape-bad">{brokenBy(at)}</p> : null}
        </section>
      )}
      {givenBy(editor, node, at).map(({ port, title, shape }) => (
        <section class="ed-value" key={port}>
          <div class="lab">
            <h3>{title}</h3>
          </div>
          <ShapeList
            shape={shape}
            sample={port === "failure" ? undefined : seenOf(editor, node)}
            any={t("editor.shape.givesAny")}
            label={title}
          />
        </section>
      ))}
    </>
  );
}
