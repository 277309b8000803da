// What every control of a form is given.

import type { Field } from "../../core/form-schema.ts";

export type ControlProps = {
  readonly field: Field;
  readonly value: unknown;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  change(value: unknown): void;
};
