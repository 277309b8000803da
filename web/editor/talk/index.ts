// Comments in one piece: fetched as soon as the canvas is up.

import type { Editor } from "../state/editor.ts";
import { Others } from "./bell.tsx";
import { Markers } from "./markers.tsx";
import { Comments } from "./panel.tsx";
import { ReviewNote } from "./review.tsx";
import { Talk } from "./talk.ts";

function start(editor: Editor): void {
  const talk = new Talk(editor);
  editor.session.talk.value = talk;
  void talk.load();
  const asked = new URLSearchParams(location.search).get("thread");
  if (asked !== null) void talk.look(asked);
}

export const talking = { Comments, Markers, Others, ReviewNote, start };
