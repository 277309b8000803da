// One event of a run as browsers get it: small, without values. The shape is
// the server's brief (Go package engine/runtime/brief).

export type EventType =
  | "RunStarted"
  | "NodeCompleted"
  | "NodeFailed"
  | "TaskScheduled"
  | "TaskRunning"
  | "TaskProgress"
  | "TaskCompleted"
  | "TaskFailed"
  | "WaitStarted"
  | "WaitCompleted"
  | "Responded"
  | "ContainerStarted"
  | "BodyStarted"
  | "BodyCompleted"
  | "BodyFailed"
  | "ContainerCompleted"
  | "ItemsStarted"
  | "ItemsEnded"
  | "ItemFailed"
  | "ItemsCanceled"
  | "VisitCanceled"
  | "TokensAbsorbed"
  | "TokensCanceled"
  | "RoundOpened"
  | "RoundClosed"
  | "TaskStarted"
  | "SignalReceived"
  | "CallStarted"
  | "CallAnswered"
  | "CompensationStarted"
  | "CompensationCompleted"
  | "AttentionNeeded"
  | "AttentionResolved"
  | "RunPaused"
  | "RunResumed"
  | "RunSucceeded"
  | "RunFailed"
  | "RunCanceled"
  | "RunCompensated"
  | "TestArranged"
  | "OutputPinned"
  | "ClockMoved"
  | "VisitHeld"
  | "VisitReleased";

export type Fault = { readonly class: string; readonly message: string };

export type Arranged = {
  readonly virtual?: boolean;
  readonly skip?: boolean;
  readonly step?: boolean;
  readonly breaks?: readonly string[];
  readonly stop?: string;
};

export type Brief = {
  /** 1, 2, 3 … in the log; 0: live only, never in the log. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: EventType | string;
  readonly node?: string;
  /** Where the visit is; absent: the run's own scope. */
  readonly scope?: number;
  readonly visit?: number;
  readonly attempt?: number;
  readonly port?: string;
  readonly ports?: readonly string[];
  /** Edges whose tokens the visit took, by position: "0-2,5". */
  readonly took?: string;
  /** Of a container: how many bodies, which one, and the scope that it opens or closes. */
  readonly count?: number;
  readonly index?: number;
  readonly opens?: number;
  readonly closes?: number;
  /** Of a map: its items are runs of their own. */
  readonly runs?: boolean;
  /** Of items that ended: how many failed. */
  readonly failed?: number;
  /** The visit whose effect this one undoes. */
  readonly undoes?: { readonly scope?: number; readonly node: string; readonly visit: number };
  /** What a wait waits for, when it is not time. */
  readonly for?: string;
  readonly queue?: string;
  /** Why a learned rule chose the queue, and the share of the work it had then. */
  readonly why?: string;
  readonly share?: number;
  readonly priority?: number;
  readonly until?: number;
  readonly retry_at?: number;
  readonly began?: number;
  readonly worker?: string;
  readonly size?: number;
  readonly error?: Fault;
  readonly handled?: boolean;
  readonly source?: string;
  readonly trigger?: string;
  readonly status?: number;
  readonly by?: string;
  /** Of a test run: its output stood in for the work. */
  readonly pinned?: boolean;
  /** Of a test run: milliseconds of its clock before the real one. */
  readonly ahead?: number;
  /** How a test run is controlled. */
  readonly test?: Arranged;
  readonly text?: string;
};

/** The key of the node that an event is about; undefined: the run itself. */
export function nodeOf(e: Brief): string | undefined {
  return e.type === "RunStarted" ? e.trigger : e.node;
}

/** Whether the event closes its log. */
export function endsRun(e: Brief): boolean {
  switch (e.type) {
    case "RunSucceeded":
    case "RunFailed":
    case "RunCanceled":
    case "RunCompensated":
      return true;
    default:
      return false;
  }
}

/** Whether the event tells of something that went wrong. */
export function isError(e: Brief): boolean {
  return isErrorType(e.type);
}

export function isErrorType(type: string): boolean {
  switch (type) {
    case "TaskFailed":
    case "NodeFailed":
    case "BodyFailed":
    case "ItemFailed":
    case "AttentionNeeded":
    case "RunFailed":
      return true;
    default:
      return false;
  }
}

/** How an event looks: the tone of its glyph. */
export type Tone = "ok" | "run" | "fail" | "wait" | "skip" | "comp";

export function toneOf(e: Brief): Tone {
  if (e.type === "TaskScheduled" && e.text !== undefined) return "wait"; // it came with a warning
  switch (e.type) {
    case "RunStarted":
    case "TaskRunning":
    case "TaskStarted":
    case "TaskProgress":
      return "run";
    case "ContainerStarted":
    case "BodyStarted":
    case "ItemsStarted":
    case "CallStarted":
    case "RunResumed":
    case "VisitReleased":
      return "run";
    case "TaskScheduled":
    case "VisitCanceled":
    case "ItemsCanceled":
    case "TokensAbsorbed":
    case "TokensCanceled":
    case "RoundOpened":
    case "RoundClosed":
    case "RunCanceled":
    case "TestArranged":
    case "OutputPinned":
    case "ClockMoved":
      return "skip";
    case "WaitStarted":
    case "RunPaused":
    case "VisitHeld":
      return "wait";
    case "CompensationStarted":
    case "CompensationCompleted":
    case "RunCompensated":
      return "comp";
    default:
      return isError(e) ? "fail" : "ok";
  }
}

/** The ports through which an event sent tokens. */
export function portsOf(e: Brief): readonly string[] {
  if (e.ports !== undefined) return e.ports;
  return e.port === undefined ? [] : [e.port];
}

/** Reads a list of events that came from outside; what is no event is left out. */
export function readBriefs(value: unknown): readonly Brief[] {
  return Array.isArray(value) ? value.filter(isBrief) : [];
}

function isBrief(value: unknown): value is Brief {
  if (typeof value !== "object" || value === null) return false;
  const e = value as Partial<Record<keyof Brief, unknown>>;
  return typeof e.seq === "number" && typeof e.at === "number" && typeof e.type === "string";
}
