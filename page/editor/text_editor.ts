// The text editor: CodeMirror in a shadow root. It is bundled into a file of its own, which the page loads when a person
// opens a file.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml, yamlFrontmatter } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  defineLanguageFacet,
  HighlightStyle,
  indentOnInput,
  Language,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { parser } from "@lezer/markdown";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import { complete, type CompletionNames } from "./completion.ts";
import type { FileLanguage } from "./schema_options.ts";

export type { CompletionNames } from "./completion.ts";

/** The options of a text editor. */
export interface TextEditorOptions {
  text: string;
  language: FileLanguage;
  /** The name of the field for screen readers. */
  label: string;
  names: () => CompletionNames;
  onChange: (text: string) => void;
  /** Called for Ctrl+S, and on a Mac for Cmd+S. */
  onSave: () => void;
}

/** An open text editor. */
export interface TextEditor {
  /** Replaces the text. The person can undo that. */
  setText(text: string): void;
  showProblems(problems: readonly Omit<DiagnosticBody, "hint">[]): void;
  /** Moves the cursor to a position, and the focus into the editor. */
  goTo(line: number, column: number): void;
  close(): void;
}

/** The colors of the page's theme. */
const COLORS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faded)", fontStyle: "italic" },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--blue)" },
  { tag: [tags.bool, tags.number, tags.null, tags.keyword], color: "var(--ended)" },
  { tag: tags.string, color: "var(--success)" },
  { tag: tags.heading, fontWeight: "bold" },
  { tag: tags.strong, fontWeight: "bold" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--blue)", textDecoration: "underline" },
  { tag: tags.monospace, color: "var(--waiting)" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--sheet)", height: "100%" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "0.875rem", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--paper)",
    color: "var(--faded)",
    borderRight: "1px solid var(--rule)",
  },
  ".cm-activeLine": { backgroundColor: "var(--wash)" },
  "&.cm-focused": { outline: "2px solid var(--blue)", outlineOffset: "-2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--blue) 25%, transparent) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--sheet)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    maxWidth: "min(34rem, 90vw)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--blue)",
    color: "var(--blue-ink)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--waiting)" },
  ".cm-matchingBracket": { outline: "1px solid var(--edge)" },
});

/** Opens an editor in an empty element. The shadow root keeps its styles apart, as the content security policy demands. */
export function openTextEditor(
  place: HTMLElement,
  { text, language, label, names, onChange, onSave }: TextEditorOptions,
): TextEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const save = () => {
    onSave();
    return true;
  };
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        // The text keeps the line breaks of the file.
        text.includes("\r\n") ? EditorState.lineSeparator.of("\r\n") : [],
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        lintGutter(),
        EditorView.lineWrapping,
        autocompletion({
          override: [(context) => complete(context, { language, names: names() })],
        }),
        keymap.of([
          { key: "Mod-s", run: save, preventDefault: true },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
        ]),
        languageOf(language),
        syntaxHighlighting(COLORS),
        THEME,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.sliceDoc());
        }),
      ],
    }),
  });
  const offsetOf = (line: number, column: number) => {
    const { doc } = view.state;
    const found = doc.line(Math.min(Math.max(1, line), doc.lines));
    return Math.min(found.to, found.from + Math.max(0, column - 1));
  };
  return {
    setText(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    showProblems(problems) {
      const found = problems.map(({ line, column, severity, message }): Diagnostic => {
        const from = offsetOf(line, column);
        return { from, to: Math.max(from, view.state.doc.lineAt(from).to), severity, message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    goTo(line, column) {
      const at = offsetOf(line, column);
      view.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: "center" }),
      });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function languageOf(language: FileLanguage): Extension {
  if (language === "mcp") return json();
  if (language === "config") return yaml();
  const markdown = new Language(defineLanguageFacet(), parser);
  return yamlFrontmatter({ content: markdown });
}
