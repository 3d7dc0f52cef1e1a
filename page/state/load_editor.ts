// Loads the text editor, which is a file of its own, when a person opens a file.

/** The bundle of page/editor/text_editor.ts. */
export type TextEditorModule = typeof import("../editor/text_editor.ts");

let loaded: Promise<TextEditorModule> | undefined;

/** Returns the text editor. After a failure, the next call tries again. */
export function loadTextEditor(): Promise<TextEditorModule> {
  const address = new URL("ui/assets/editor.js", document.baseURI).href;
  return loaded ??= import(address).catch((error) => {
    loaded = undefined;
    throw error;
  });
}
