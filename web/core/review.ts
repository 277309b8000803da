// How a draft stands with its review.

export type Decided = {
  readonly state: "open" | "approved" | "changes";
  /** The last decision, and the position of the draft that was looked at. */
  readonly decision?: { readonly seq: number };
};

export type Stands = "open" | "approved" | "changes" | "stale";

/** An approval holds for the position that was looked at; the next edit makes it stale. */
export function standsAt(review: Decided, seq: number): Stands {
  return review.state === "approved" && review.decision?.seq !== seq ? "stale" : review.state;
}

/** Whether exactly the draft at this position is approved. */
export function isApproved(review: Decided | undefined, seq: number): boolean {
  return review !== undefined && standsAt(review, seq) === "approved";
}
