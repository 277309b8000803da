// The drawing and the catalogue as the server writes them in JSON, and as
// everything in the browser reads them. Only types stand here.

import type { Schema } from "./form-schema.ts";

/** The number of the file format that this program reads and writes. */
export const FORMAT = 1;

/** One drawing. Layout, name and description never reach the engine. */
export type Graph = {
  readonly signalbox: number;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly Edge[];
  /** The whole run is a saga: a failure compensates. */
  readonly transaction?: boolean | undefined;
  readonly layout: Layout;
};

/** One box. Its configuration is plain JSON. */
export type GraphNode = {
  /** Unique, never shown. */
  readonly id: string;
  /** Unique: the name in expressions. */
  readonly key: string;
  readonly kind: string;
  readonly config?: JsonObject | undefined;
  /** Id of the container that it stands in; absent: the workflow itself. */
  readonly in?: string | undefined;
  /** Several incoming edges; absent is inclusive. */
  readonly join?: Join | undefined;
  readonly retry?: Retry | undefined;
  readonly timeout?: Timeout | undefined;
  readonly task?: Task | undefined;
  readonly max_visits?: number | undefined;
  /** Passes its input out of its first port. */
  readonly disabled?: boolean | undefined;
  /** In a transaction: the point of no return. */
  readonly pivot?: boolean | undefined;
};

/** The handle from which an edge leads to the node that undoes a node's effect. */
export const COMPENSATE = "compensate";

/** Leads from one port of one node to one node. */
export type Edge = {
  readonly id: string;
  readonly from: string;
  readonly port: string;
  readonly to: string;
  /** What people read on it. */
  readonly label?: string | undefined;
};

export type JoinMode = "inclusive" | "each" | "all" | "n" | "first";

export type Join = {
  readonly mode: JoinMode;
  /** Mode n: how many edges. */
  readonly n?: number | undefined;
  /** Modes n and first: what becomes of the others; absent is absorb. */
  readonly then?: "absorb" | "cancel" | undefined;
  /** A duration from the first waiting token; then the port timeout. */
  readonly deadline?: string | undefined;
  readonly combine?: "object" | "append" | "zip" | "merge" | "reduce" | undefined;
  readonly key?: string | undefined;
  readonly reduce?: string | undefined;
  readonly start?: string | undefined;
};

export type Retry = {
  readonly max_attempts: number;
  readonly backoff?: "fixed" | "exponential" | undefined;
  readonly initial?: string | undefined;
  readonly factor?: number | undefined;
  readonly max_interval?: string | undefined;
  readonly jitter?: number | undefined;
  readonly on?: readonly string[] | undefined;
  readonly total?: string | undefined;
  readonly when?: string | undefined;
};

export type Timeout = {
  readonly attempt?: string | undefined;
  readonly queue?: string | undefined;
  readonly total?: string | undefined;
  readonly heartbeat?: string | undefined;
};

export type Task = {
  readonly queue?: string | undefined;
  readonly priority?: Json | undefined;
  readonly type?: Json | undefined;
  readonly size?: Json | undefined;
  readonly location?: Json | undefined;
  readonly labels?: Json | undefined;
  readonly concurrency?: { readonly limit: number; readonly key?: Json } | undefined;
  readonly rate?: { readonly n: number; readonly per: string; readonly key?: Json } | undefined;
  readonly circuit?: { readonly threshold: number; readonly cooldown?: string } | undefined;
};

/** What the eye needs and the engine does not. */
export type Layout = {
  readonly nodes?: Readonly<Record<string, NodeLayout>> | undefined;
  readonly notes?: Readonly<Record<string, Note>> | undefined;
  readonly sample?: Json | undefined;
};

/** How one node is drawn. */
export type NodeLayout = {
  readonly x: number;
  readonly y: number;
  readonly title?: string | undefined;
  /** Containers: the size of the frame; absent or 0 fits what is in it. */
  readonly w?: number | undefined;
  readonly h?: number | undefined;
  /** Containers: drawn as one card. */
  readonly folded?: boolean | undefined;
  readonly notes?: string | undefined;
  /** A pinned sample of what the node gives. */
  readonly pin?: Json | undefined;
};

/** A piece of text on the canvas. */
export type Note = {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly text: string;
};

/** The value of node.add: a node with its layout. */
export type NodeDoc = GraphNode & NodeLayout;

/** The names of the operations. See ops.ts for what each of them means. */
export type OpName =
  | "node.add"
  | "node.set"
  | "node.move"
  | "node.size"
  | "node.del"
  | "edge.add"
  | "edge.set"
  | "edge.del"
  | "note.add"
  | "note.set"
  | "note.del"
  | "graph.set";

/** One change to a drawing. An absent value removes. */
export type Op = {
  readonly op: OpName;
  readonly id?: string | undefined;
  readonly path?: string | undefined;
  readonly value?: unknown;
};

/** One finding about a drawing, pinned to where it is. */
export type Issue = {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly node?: string | undefined;
  readonly edge?: string | undefined;
  readonly field?: string | undefined;
  readonly example?: readonly { readonly node: string; readonly port: string }[] | undefined;
  readonly fix?: { readonly title: string; readonly ops: readonly Op[] } | undefined;
  readonly related?: readonly string[] | undefined;
  readonly offset?: number | undefined;
};

/** One kind of node, as GET /api/kinds tells it. */
export type Spec = {
  readonly name: string;
  readonly title: string;
  readonly category: string;
  /** Color of the tile: trigger, http, logic, ai, queue, saga, human, data. */
  readonly tile: string;
  /** Name in the icon sprite. */
  readonly icon: string;
  readonly help: string;
  readonly work: "trigger" | "inline" | "task" | "wait" | "scope" | "state" | "call";
  readonly effect: boolean;
  readonly ports: readonly Port[];
  /** Ports made from the configuration, drawn before the others. */
  readonly ports_of?: PortsOf | undefined;
  /** Made from other fields as well. */
  readonly more_ports?: readonly PortsOf[] | undefined;
  readonly config: Schema;
  /** "{method} {url}": fields of the configuration. */
  readonly subtitle?: string | undefined;
  readonly example: JsonObject;
  readonly output?: Json | undefined;
  /** No edge may end here. */
  readonly no_input?: boolean | undefined;
  /** Other nodes stand in it; its body is a scope of its own. */
  readonly container?: boolean | undefined;
  /** At most one in a graph. */
  readonly unique?: boolean | undefined;
  readonly attempts?: number | undefined;
  readonly timeout?: string | undefined;
};

/** A named way out. */
export type Port = {
  readonly name: string;
  readonly title: string;
  readonly optional?: boolean | undefined;
  readonly failure?: boolean | undefined;
};

export type PortsOf = { readonly field: string; readonly name: string; readonly label: string };

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json };
