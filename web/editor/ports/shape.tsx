// A shape as a small list: fields with their sorts, those inside others below
// them, with a sample where there is one.

import { preview } from "../../core/expr-complete.ts";
import { isAny, type Row, rowsOf, type Shape } from "../../core/port-shape.ts";
import { t } from "../strings.ts";
import { sortWords } from "./words.ts";

export function ShapeList({
  shape,
  sample,
  any,
  most,
  label,
}: {
  readonly shape: Shape;
  readonly sample?: unknown;
  /** What is said when nothing is known. */
  readonly any: string;
  readonly most?: number;
  readonly label: string;
}) {
  if (isAny(shape)) return <p class="hint">{any}</p>;
  const { rows, more } = rowsOf(shape, most);
  const whole = <span class="sort">{sortWords(shape)}</span>;
  if (rows.length === 0) return <p class="ed-shape-whole">{whole}</p>;
  return (
    <div class="ed-shape">
      {shape.type?.length === 1 && shape.type[0] === "object" ? null : (
        <p class="ed-shape-whole">{whole}</p>
      )}
      <ul aria-label={label}>
        {withSamples(rows, sample).map(({ row, value }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names can come twice at different depths
          <li key={i} class={`d${row.depth}`}>
            <code>{row.name}</code>
            {row.required ? (
              <b title={t("editor.shape.required")}>
                *<span class="sr"> {t("editor.shape.required")}</span>
              </b>
            ) : null}
            <span class="sort">{sortWords(row.shape)}</span>
            {value === undefined ? null : <samp>{preview(value)}</samp>}
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="hint">{t("editor.shape.rest", { n: more })}</p> : null}
    </div>
  );
}

/** Each line with its value in the sample: of a list, that of its first item. */
function withSamples(rows: readonly Row[], sample: unknown): { row: Row; value: unknown }[] {
  const above: unknown[] = [first(sample)];
  return rows.map((row) => {
    const holder = above[row.depth];
    const value =
      typeof holder === "object" && holder !== null && Object.hasOwn(holder, row.name)
        ? (Reflect.get(holder, row.name) as unknown)
        : undefined;
    above[row.depth + 1] = first(value);
    const holds = row.shape.properties ?? row.shape.items?.properties;
    return { row, value: holds ? undefined : value };
  });
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}
