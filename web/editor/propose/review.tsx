// A proposal on a canvas of its own, over the one that is edited: what comes,
// goes and changes, with what the checks find. It is accepted or dropped.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { titleOf, unknownSpec } from "../../core/card.ts";
import { diff, together } from "../../core/diff.ts";
import type { Graph } from "../../core/graph.ts";
import { Kernel } from "../../kernel/kernel.ts";
import { useEditor } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Fields, icons } from "../panels/changes.tsx";
import type { Editor } from "../state/editor.ts";
import { t } from "../strings.ts";
import type { Proposal } from "./propose.ts";
import { accept, drop } from "./propose.ts";

export function Review() {
  const { session } = useEditor();
  const proposal = session.proposal.value;
  return proposal ? <Shown key={proposal.wish} proposal={proposal} /> : null;
}

/** A canvas that shows the two drawings in one. */
function useCanvas(editor: Editor, proposal: Proposal) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<Kernel | undefined>(undefined);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const still = document.documentElement.dataset["motion"] === "less" ? true : undefined;
    const kernel = new Kernel({ host: host.current, still });
    canvas.current = kernel;
    const { graph, marks } = together(proposal.before, proposal.graph);
    kernel.load(graph, editor.session.specs.value);
    kernel.setMarks(marks);
    kernel.setIssues(proposal.issues);
    kernel.setReadOnly(true);
    kernel.setInsets({ left: 16, top: 16, bottom: 16, right: 396 });
    requestAnimationFrame(() => kernel.fit(touched(proposal)));
    const below = editor.kernel.root;
    below.inert = true;
    return () => {
      below.inert = false;
      kernel.destroy();
    };
  }, []);
  return { host, canvas };
}

/** What changes, with the steps that changed lines join; of nothing: all. */
function touched({ before, graph }: Proposal): readonly string[] | undefined {
  const { nodes, edges } = diff(before, graph);
  const ids = [...nodes.map((n) => n.id), ...edges.flatMap(({ edge }) => [edge.from, edge.to])];
  return ids.length > 0 ? ids : undefined;
}

function Shown({ proposal }: { readonly proposal: Proposal }) {
  const editor = useEditor();
  const { host, canvas } = useCanvas(editor, proposal);
  const first = useRef<HTMLButtonElement>(null);
  const found = useMemo(() => diff(proposal.before, proposal.graph), [proposal]);
  useEffect(() => {
    first.current?.focus();
    editor.say(proposal.summary);
    return () => editor.kernel.focusCanvas();
  }, []);
  const jump = (ids: readonly string[]) => {
    canvas.current?.select({ nodes: ids });
    canvas.current?.reveal(ids, true);
  };
  const name = (id: string) => nodeName(editor, proposal, id);
  return (
    <section
      class="ed-review"
      aria-label={t("editor.propose.review")}
      onKeyDown={(e) => {
        if (e.key === "Escape" && !e.defaultPrevented && !e.isComposing) drop(editor);
      }}
    >
      <div class="ed-review-canvas" ref={host} />
      <aside class="pop ed-review-side" aria-label={t("editor.propose.review")}>
        <header>
          <Icon name="sparkles" />
          <h2>{t("editor.propose.review")}</h2>
        </header>
        <div class="ed-changes">
          <p class="ed-wish">“{proposal.wish}”</p>
          {proposal.summary === "" ? null : <p>{proposal.summary}</p>}
          <ul>
            {found.nodes.map(({ id, is, fields }) => (
              <li key={id} class={is}>
                <button type="button" class="ed-jump" onClick={() => jump([id])}>
                  <Icon name={icons[is]} />
                  <span>
                    <b>{name(id)}</b> <small>{t(`editor.compare.${is}`)}</small>
                  </span>
                </button>
                <Fields list={fields} />
              </li>
            ))}
            {found.edges.map(({ edge, is }) => (
              <li key={`${is}${edge.id}`} class={is}>
                <button type="button" class="ed-jump" onClick={() => jump([edge.from, edge.to])}>
                  <Icon name={icons[is]} />
                  <span>
                    {name(edge.from)} → {name(edge.to)}{" "}
                    <small>{t("editor.compare.line", { port: edge.port })}</small>
                  </span>
                </button>
              </li>
            ))}
            {found.fields.length > 0 ? (
              <li class="changed">
                <span class="ed-jump">
                  <Icon name={icons.changed} />
                  {t("editor.compare.workflow")}
                </span>
                <Fields list={found.fields} />
              </li>
            ) : null}
          </ul>
          <Findings proposal={proposal} jump={jump} />
        </div>
        <footer>
          <button type="button" class="btn" onClick={() => drop(editor)}>
            {t("editor.propose.drop")}
          </button>
          <button
            type="button"
            class="btn pri"
            ref={first}
            onClick={() => accept(editor, proposal)}
          >
            {t("editor.propose.accept")}
          </button>
        </footer>
      </aside>
    </section>
  );
}

function nodeName(editor: Editor, { before, graph }: Proposal, id: string): string {
  const of = (g: Graph) => g.nodes.find((n) => n.id === id);
  const node = of(graph) ?? of(before);
  if (node === undefined) return id;
  const place = (of(graph) ? graph : before).layout.nodes?.[id] ?? { x: 0, y: 0 };
  return titleOf(place, editor.spec(node.kind) ?? unknownSpec(node.kind));
}

type FindingsProps = { readonly proposal: Proposal; jump(ids: readonly string[]): void };

function Findings({ proposal, jump }: FindingsProps) {
  const { issues, new_issues: fresh } = proposal;
  if (issues.length === 0)
    return (
      <p class="chip sound ok">
        <Icon name="shield-check" />
        {t("editor.propose.sound")}
      </p>
    );
  return (
    <>
      <h3>{t("editor.propose.findings", { n: issues.length, fresh })}</h3>
      <ul>
        {issues.map((issue, i) => (
          <li key={i} class={issue.severity === "error" ? "removed" : "changed"}>
            <button
              type="button"
              class="ed-jump"
              onClick={() => jump(issue.node === undefined ? [] : [issue.node])}
            >
              <Icon name="shield-alert" />
              <span>{issue.message}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
