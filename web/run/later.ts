// What most runs never show, in one piece that is fetched when it is needed.

import { CaseDialog } from "./case-dialog.tsx";
import { CancelDialog, CompareDialog } from "./dialogs.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { Inspector } from "./inspector.tsx";
import { TimesTable } from "./times.tsx";
import { Why } from "./why.tsx";

export const later = {
  CancelDialog,
  CaseDialog,
  CompareDialog,
  ForkDialog,
  Inspector,
  TimesTable,
  Why,
};
