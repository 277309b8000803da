// What most runs never show, in one piece that is fetched when it is needed.

import { BodyGrid } from "./bodies.tsx";
import { CaseDialog } from "./case-dialog.tsx";
import { CancelDialog, CompareDialog } from "./dialogs.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { TimesTable } from "./times.tsx";
import { Why } from "./why.tsx";

export const later = {
  BodyGrid,
  CancelDialog,
  CaseDialog,
  CompareDialog,
  ForkDialog,
  TimesTable,
  Why,
};
