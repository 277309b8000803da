// What a shape is called on the screen.

import { isAny, type Misfit, misfit, type Shape, sortsOf } from "../../core/port-shape.ts";
import type { PortRef } from "../../kernel/api.ts";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";
import { ports } from "./store.ts";

/** The sorts of a value: "text", "list of numbers", "text or nothing". */
export function sortWords(shape: Shape): string {
  if (shape.type === undefined) return t("editor.shape.any");
  if (shape.type.length === 0) return t("editor.shape.none");
  const { items } = shape;
  const words = sortsOf(shape).map((sort) => {
    if (sort !== "array" || items?.type?.length !== 1) return t(`editor.shape.sort.${sort}`);
    return t("editor.shape.listOf", { items: t(`editor.shape.sort.${items.type[0] ?? "null"}`) });
  });
  return words.join(" / ");
}

/** A shape in a few words: its first fields, or its sort. */
export function brief(shape: Shape): string {
  if (isAny(shape)) return t("editor.shape.any");
  const names = Object.keys(shape.properties ?? {});
  return names.length === 0 ? sortWords(shape) : listed(names);
}

const listedMax = 4;

function listed(names: readonly string[]): string {
  if (names.length === 0) return t("editor.shape.noFields");
  const shown = names.slice(0, listedMax).join(", ");
  const more = names.length - listedMax;
  return more > 0 ? t("editor.shape.more", { names: shown, n: more }) : shown;
}

/** Why what a port gives cannot be what a step takes, in one line; undefined: it may be. */
export function advice(editor: Editor, from: PortRef, to: string): string | undefined {
  const gives = ports.value.get(from.node)?.gives[from.port];
  const takes = ports.value.get(to)?.takes;
  const node = editor.drawing.nodes.get(to);
  if (!gives || !takes || !node) return undefined;
  const others = [...editor.drawing.into(to)].some(
    (e) => e.from !== from.node || e.port !== from.port,
  );
  // Where edges are joined, the step gets an object with what each of them gave.
  if (others && node.join?.mode !== "each") return undefined;
  const found = misfit(gives, takes);
  return found && misfitWords(found);
}

export function misfitWords(found: Misfit): string {
  if (found.is === "missing")
    return t("editor.shape.misfit", { needs: found.needs, gives: listed(found.gives) });
  const words = { needs: sortWords(found.needs), gives: sortWords(found.gives) };
  return found.at === ""
    ? t("editor.shape.misfit", words)
    : t("editor.shape.misfitAt", { ...words, field: found.at });
}
