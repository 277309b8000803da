// A card for React Flow with the elements and the style of ours (card.ts),
// except that its ports are React Flow's handles.

import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo, useSyncExternalStore } from "react";
import { CARD, type Card, type CardPort } from "../../../core/card.ts";
import { signs } from "../../svg.ts";
import { onStatus, statusOf } from "./statuses.ts";

export type CardNode = Node<{ readonly face: Card }, "card">;

// Memoized, and with a subscription of its own to its status, so that a change
// renders this card alone: the way that costs React Flow least.
export const CardView = memo(function CardView({ id, data }: NodeProps<CardNode>) {
  const { face } = data;
  const status = useSyncExternalStore(
    (told) => onStatus(id, told),
    () => statusOf(id),
  );
  return (
    <div className={`k-card st-${status.status}`}>
      <div className="k-head">
        <span className={`k-tile t-${face.tile}`}>
          <Icon name={face.icon} />
        </span>
        <div className="k-text">
          <div className="k-title">{face.title}</div>
          <div className="k-sub">{face.subtitle}</div>
        </div>
        <svg className="k-glyph" viewBox="0 0 20 20" aria-hidden="true">
          <circle className="disc" cx="10" cy="10" r="9" />
          <path className="sign" d={signs[status.status]} />
        </svg>
      </div>
      {face.rows && <ul className="k-rows">{face.ports.map(row)}</ul>}
      {status.left !== "" && (
        <div className="k-foot">
          <span className="k-left">{status.left}</span>
          <span className="k-right">w1</span>
        </div>
      )}
      <Handle
        type="target"
        id="in"
        className="k-port in"
        position={Position.Left}
        style={{ top: CARD.middle }}
      />
      {face.ports.map(port)}
    </div>
  );
});

function Icon({ name }: { readonly name: string }) {
  return (
    <svg className="i" aria-hidden="true">
      <use href={`/icons.svg#${name}`} />
    </svg>
  );
}

function row(way: CardPort) {
  return (
    <li key={way.name} className={way.failure ? "bad" : ""}>
      {way.label !== "" && <code>{way.label}</code>}
      <span className="to">{way.title}</span>
    </li>
  );
}

function port(way: CardPort) {
  return (
    <Handle
      key={way.name}
      type="source"
      id={way.name}
      className={way.failure ? "k-port out bad" : "k-port out"}
      position={Position.Right}
      style={{ top: way.y }}
    />
  );
}
