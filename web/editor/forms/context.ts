// What a form needs to know from the editor around it.

import type { ComponentType } from "preact";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Sample } from "../../core/expr-complete.ts";
import type { Field } from "../../core/form-schema.ts";
import type { Shape } from "../../core/port-shape.ts";
import type { Credential, ExprAnswer, Issue } from "../net/api.ts";

export type FormEnvironment = {
  readonly nodeID: string;
  readonly nodeKey: string;
  /** Where the form's values are inside the node: "/config" or "". */
  readonly root: string;
  readonly config: unknown;
  readonly readOnly: boolean;
  /** Who types in a field just now: until they stop it can only be read. */
  typist(place: string): string | undefined;
  readonly issues: readonly Issue[];
  readonly credentials: readonly Credential[];
  /** The expression field that takes the focus when it appears. */
  readonly focusNext: FocusRequest;
  /** Draws a field; fields inside fields are drawn by it too. */
  readonly Row: ComponentType<{ readonly field: Field }>;
  /**
   * Sets a place below the configuration; undefined removes it. Changes of the
   * same place, or of the same part of it, one after the other are one step of undo.
   */
  set(pointer: string, value: unknown, part?: string): void;
  /** Sets it as a step of undo of its own. */
  setAlone(pointer: string, value: unknown): void;
  /** Renames or drops ports together with the edges that leave them. */
  setPorts(pointer: string, value: unknown, renamed: ReadonlyMap<string, string | undefined>): void;
  sample(): Sample;
  /** What the variables look like, as far as it is known without a sample. */
  shapes(): Readonly<Record<string, Shape>>;
  /** Something has been seen here, so that an expression can be tried. */
  readonly sampled: boolean;
  check(source: string, mode: "expr" | "value" | "json", signal: AbortSignal): Promise<ExprAnswer>;
};

/** A place for the caret in a field that is about to appear. */
export type FocusRequest = {
  current: { readonly pointer: string; readonly caret: number } | undefined;
};

const Environment = createContext<FormEnvironment | undefined>(undefined);

export const FormProvider = Environment.Provider;

export function useForm(): FormEnvironment {
  const environment = useContext(Environment);
  if (!environment) throw new Error("a form field stands outside of a form");
  return environment;
}
