// The order of the graph: triggers first, then what they lead to; what
// nothing leads to comes last. Among equals from top to bottom.

import type { Drawing } from "../../core/drawing.ts";

export function inOrder(drawing: Drawing): readonly string[] {
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
      const next = [...new Set([...drawing.out(id)].map((e) => e.to))].sort(byPlace).reverse();
      stack.push(...next);
    }
  };
  const all = [...drawing.nodes.keys()];
  for (const id of all.filter((n) => drawing.into(n).size === 0).sort(byPlace)) visit(id);
  for (const id of all.sort(byPlace)) visit(id);
  return order;
}
