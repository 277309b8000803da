// Which properties a batch of changes touches, so that two batches can be
// compared: when they touch nothing in common their order does not matter.

/** A change to the document, as in the server's list of operations. */
export type Change = {
  readonly op: string;
  readonly id?: string | undefined;
  readonly path?: string | undefined;
  readonly value?: unknown;
};

/**
 * The properties that the changes write or rely on, as paths: "node/a" is the
 * whole node, "node/a/config/url" one field of it.
 */
export function touched(ops: readonly Change[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const op of ops) {
    const what = op.op.slice(0, op.op.indexOf("."));
    const id = op.id ?? "";
    if (op.op === "node.move") keys.add(`${what}/${id}/@place`);
    else if (op.op === "node.size") keys.add(`${what}/${id}/@size`);
    else if (op.op.endsWith(".set")) keys.add(`${what}/${id}${op.path ?? ""}`);
    else keys.add(`${what}/${id}`);
    for (const end of ends(op)) keys.add(`node/${end}/@here`);
    for (const name of claims(op)) keys.add(name);
    if (op.op === "node.del") keys.add("edge/");
  }
  return keys;
}

/** Whether the two sets have a property in common, or one lies inside another. */
export function conflicts(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const x of a) for (const y of b) if (overlaps(x, y)) return true;
  return false;
}

export function overlaps(x: string, y: string): boolean {
  if (x === y) return true;
  const [short, long] = x.length < y.length ? [x, y] : [y, x];
  return long.startsWith(short) && (short.endsWith("/") || long[short.length] === "/");
}

/** Names that must be unique in the whole document. */
function claims(op: Change): readonly string[] {
  if (op.op === "node.set" && op.path === "/key") return [`key/${String(op.value)}`];
  const value = op.value;
  if (typeof value !== "object" || value === null) return [];
  if (op.op === "node.add" && "key" in value) return [`key/${String(value.key)}`];
  if (op.op === "edge.add" && "from" in value && "port" in value && "to" in value) {
    return [`wire/${String(value.from)}:${String(value.port)}:${String(value.to)}`];
  }
  return [];
}

/** The container into which a change puts a node. */
function container(op: Change): unknown {
  if (op.op === "node.set" && op.path === "/in") return op.value;
  const { value } = op;
  if (op.op !== "node.add" || typeof value !== "object" || value === null) return undefined;
  return "in" in value ? value.in : undefined;
}

/** Nodes that a change needs: it must not be reordered with their deletion. */
function ends(op: Change): readonly string[] {
  const frame = container(op);
  if (typeof frame === "string" && frame !== "") return [frame];
  if (op.op === "edge.set" && typeof op.value === "string")
    return op.path === "/from" || op.path === "/to" ? [op.value] : [];
  if (op.op !== "edge.add" || typeof op.value !== "object" || op.value === null) return [];
  const found: string[] = [];
  for (const [name, value] of Object.entries(op.value)) {
    if ((name === "from" || name === "to") && typeof value === "string") found.push(value);
  }
  return found;
}
