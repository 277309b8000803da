// The same drawings with React Flow, to compare with: the page that the
// canvas is measured against. Its address says whether React Flow renders only
// what is in view: /react-flow?culled. Nothing of this is part of the product.

import { Background, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { type Driven, NEAR, painted, Storm } from "../driven.ts";
import { grouped, large } from "../sample.ts";
import { type CardNode, CardView } from "./card.tsx";
import { flowOf } from "./flow.ts";
import { clearStatuses, setStatus } from "./statuses.ts";

const host = document.getElementById("host");
if (host === null) throw new Error("the page has no host");

const culled = new URLSearchParams(location.search).has("culled");
const root = createRoot(host);
const storm = new Storm();
const nodeTypes = { card: CardView };
let flow: ReactFlowInstance<CardNode> | undefined;
let ids: readonly string[] = [];

function shown(): ReactFlowInstance<CardNode> {
  if (flow === undefined) throw new Error("nothing is shown yet");
  return flow;
}

/** Until React Flow has drawn its edges, which it does last. */
async function drawn(): Promise<void> {
  while (document.querySelector(".react-flow__edge") === null) await painted();
  await painted();
}

const driven: Driven = {
  async start(made, n) {
    const graph = made === "large" ? large(n) : grouped(n);
    ids = graph.nodes.map((node) => node.id);
    const { nodes, edges } = flowOf(graph);
    // Uncontrolled and without what an editor would add: the least there is to do.
    flushSync(() => {
      root.render(
        <ReactFlow
          defaultNodes={nodes}
          defaultEdges={edges}
          nodeTypes={nodeTypes}
          onlyRenderVisibleElements={culled}
          defaultViewport={{ x: NEAR.x, y: NEAR.y, zoom: NEAR.z }}
          minZoom={0.02}
          maxZoom={2.5}
          panOnDrag={[1]}
          onInit={(made) => {
            flow = made;
          }}
        >
          <Background gap={24} size={2} color="var(--dot)" />
        </ReactFlow>,
      );
    });
    await drawn();
  },
  look({ x, y, z }) {
    void shown().setViewport({ x, y, zoom: z });
  },
  zoomBy(factor) {
    void shown().zoomTo(shown().getZoom() * factor);
  },
  tick(count) {
    for (let i = 0; i < count; i++) {
      const { id, status, left } = storm.next(ids);
      setStatus(id, { status, left });
    }
  },
  calm: clearStatuses,
};

Object.assign(window, { bench: { driven } });
