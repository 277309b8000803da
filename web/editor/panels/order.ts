// The order of the graph: triggers first, then what they lead to; what
// nothing leads to comes last. Among equals from top to bottom. What stands in
// a container comes right behind it.

import type { Drawing } from "../../core/drawing.ts";

export function inOrder(drawing: Drawing): readonly string[] {
  const scopes = new Map<string | undefined, string[]>();
  for (const id of drawing.nodes.keys()) {
    const up = drawing.parent(id);
    const list = scopes.get(up);
    if (list === undefined) scopes.set(up, [id]);
    else list.push(id);
  }
  const order: string[] = [];
  const walk = (up: string | undefined): void => {
    for (const id of scopeInOrder(drawing, scopes.get(up) ?? [])) {
      order.push(id);
      if (scopes.has(id)) walk(id);
    }
  };
  walk(undefined);
  return order;
}

function scopeInOrder(drawing: Drawing, all: readonly string[]): readonly string[] {
  const here = new Set(all);
  const byPlace = (a: string, b: string) =>
    drawing.place(a).y - drawing.place(b).y || drawing.place(a).x - drawing.place(b).x;
  const seen = new Set<string>();
  const order: string[] = [];
  const visit = (start: string) => {
    const stack = [start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      order.push(id);
      const ends = [...drawing.out(id)].map((e) => e.to).filter((to) => here.has(to));
      stack.push(...[...new Set(ends)].sort(byPlace).reverse());
    }
  };
  const sorted = [...all].sort(byPlace);
  for (const id of sorted.filter((n) => drawing.into(n).size === 0)) visit(id);
  for (const id of sorted) visit(id);
  return order;
}
