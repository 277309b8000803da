// An expression at rest: coloured text.

import type { Mode } from "../../core/expr-tokens.ts";
import { tokenize } from "../../core/expr-tokens.ts";

export function Highlighted({ source, mode }: { readonly source: string; readonly mode: Mode }) {
  return (
    <>
      {tokenize(source, mode).map((token) => (
        <span key={token.from} class={`x-${token.kind}`}>
          {source.slice(token.from, token.to)}
        </span>
      ))}
    </>
  );
}
