// The one editor of the page, for every component.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Editor } from "./state/editor.ts";

const Current = createContext<Editor | undefined>(undefined);

export const EditorProvider = Current.Provider;

export function useEditor(): Editor {
  const editor = useContext(Current);
  if (!editor) throw new Error("a part of the editor stands outside of it");
  return editor;
}
