/** The objects in the arrays that a way of names leads to: "invoke.done" are the
 * entries of done of every entry of invoke. */
export function below(value: unknown, way: readonly string[]): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Record<string, unknown>;
  const [name, ...rest] = way;
  if (name === undefined) return [fields];
  const items = fields[name];
  return Array.isArray(items) ? items.flatMap((item) => below(item, rest)) : [];
}
