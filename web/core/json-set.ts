// Sets one value inside a JSON value by a pointer, leaving the old value as it
// was, and tells how to set it back.

import { Fault } from "./check.ts";

/** What puts the old state back; an absent value removes the place again. */
export type Undo = { readonly path: string; readonly value?: unknown };

type Step = { readonly next: unknown; readonly undo: Undo };

/**
 * Sets the value at path, which lies below at. Objects are made on the way.
 * An absent value removes. The inverse of a change below a place that was not
 * there removes the topmost object made; the inverse of a change in an array
 * sets the whole array back.
 */
export function setBelow(root: unknown, at: string, path: string, value: unknown): Step {
  return step(root, at, path.slice(at.length + 1).split("/"), value);
}

function step(into: unknown, at: string, path: readonly string[], value: unknown): Step {
  if (Array.isArray(into))
    return { next: inArray(into, at, path, value), undo: { path: at, value: into } };
  if (typeof into === "object" && into !== null) {
    return inObject(into as Record<string, unknown>, at, path, value);
  }
  throw new Fault(`${at} is not an object or an array, so nothing can be set inside it.`);
}

function inObject(
  into: Record<string, unknown>,
  at: string,
  path: readonly string[],
  value: unknown,
): Step {
  const [raw = "", ...rest] = path;
  const name = unescaped(raw);
  const here = `${at}/${raw}`;
  const there = Object.hasOwn(into, name);
  const old = into[name];
  const undo: Undo = there ? { path: here, value: old } : { path: here };
  if (rest.length === 0)
    return { next: value === undefined ? without(into, name) : put(into, name, value), undo };
  if (!there || old === null) {
    if (value === undefined) return { next: into, undo };
    return { next: put(into, name, step({}, here, rest, value).next), undo };
  }
  const below = step(old, here, rest, value);
  return { next: put(into, name, below.next), undo: below.undo };
}

function inArray(
  into: readonly unknown[],
  at: string,
  path: readonly string[],
  value: unknown,
): unknown[] {
  const [raw = "", ...rest] = path;
  if (raw === "-" && rest.length === 0 && value !== undefined) return [...into, value];
  const i = /^\d{1,9}$/.test(raw) ? Number(raw) : -1;
  if (i < 0 || i >= into.length) throw new Fault(`There is no item ${raw} in ${at}.`);
  if (rest.length > 0) return into.with(i, step(into[i], `${at}/${raw}`, rest, value).next);
  return value === undefined ? into.toSpliced(i, 1) : into.with(i, value);
}

// A member named __proto__ must become a member, not the prototype. It keeps
// its place among the others; a new one comes last, as on the server.
function put(into: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const entries = Object.entries(into).map(([k, v]) => [k, k === name ? value : v] as const);
  return Object.fromEntries(Object.hasOwn(into, name) ? entries : [...entries, [name, value]]);
}

function without(into: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(into).filter(([k]) => k !== name));
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value at a pointer; undefined when nothing is there. */
export function valueAt(root: unknown, pointer: string): unknown {
  let at = root;
  for (const raw of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, unescaped(raw)))
      return undefined;
    at = (at as Record<string, unknown>)[unescaped(raw)];
  }
  return at;
}
