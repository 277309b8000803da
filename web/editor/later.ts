// Everything that is not needed for the first paint, in one piece: it is
// fetched as soon as the canvas is up.

import { Dialogs } from "./dialogs/dialogs.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { Connect } from "./panels/connect.tsx";
import { ContextMenu } from "./panels/context-menu.tsx";
import { FindPanel } from "./panels/find.tsx";
import { Outline } from "./panels/outline.tsx";
import { Problems } from "./panels/problems.tsx";
import { QuickAdd } from "./panels/quick-add.tsx";
import { PortCard } from "./ports/card.tsx";
import { Banner } from "./shell/banner.tsx";
import { Dock, Overview } from "./shell/dock.tsx";
import { EmptyCanvas } from "./shell/empty.tsx";
import { Example } from "./shell/example.tsx";
import { NoteEditor, TitleEditor } from "./shell/inline.tsx";
import { Rename } from "./shell/rename.tsx";
import { SelectionBar } from "./shell/selection-bar.tsx";
import { Toasts } from "./shell/toasts.tsx";
import { EdgePeek } from "./traffic/peek.tsx";

export const later = {
  Banner,
  Connect,
  ContextMenu,
  Dialogs,
  Dock,
  EdgePeek,
  EmptyCanvas,
  Example,
  FindPanel,
  Inspector,
  NoteEditor,
  Outline,
  Overview,
  PortCard,
  Problems,
  QuickAdd,
  Rename,
  SelectionBar,
  TitleEditor,
  Toasts,
};
