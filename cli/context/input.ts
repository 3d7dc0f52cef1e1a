// The interfaces of standard input and of the prompts. Tests use a fake.

/** A question. */
export interface Question {
  /** Printed unchanged, so untrusted text must be sanitized before. */
  message: string;
  /** Closes the prompt, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One choice of a question. */
export interface Choice {
  value: string;
  label: string;
  /** Shown after the label. */
  hint?: string;
}

/**
 * Asks questions at the terminal. Call it only if there is one. Every method resolves to undefined if the user leaves the
 * question open (Esc, Ctrl+D), and rejects with Interrupted at Ctrl+C.
 */
export interface Prompter {
  /** Asks for yes or no. No is preselected unless `initial` is true, so that an accidental Enter allows nothing. */
  confirm(question: Question & { initial?: boolean }): Promise<boolean | undefined>;
  /** Asks for a line of text, which may be empty. Enter alone returns `initial`, which is shown. */
  text(
    question: Question & { placeholder?: string; initial?: string },
  ): Promise<string | undefined>;
  /** Asks for a line of hidden text, which may be empty. */
  secret(question: Question): Promise<string | undefined>;
  /** Asks for one of a few choices; the cursor starts at `initial`. */
  select(
    question: Question & { choices: readonly Choice[]; initial?: string },
  ): Promise<string | undefined>;
  /** Asks for at least one of a few choices. */
  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined>;
  /** Asks for one of many choices with a search. */
  search(question: Question & { choices: readonly Choice[] }): Promise<string | undefined>;
}

/** The lines of a terminal or a pipe. */
export interface LineSource extends AsyncDisposable {
  /**
   * Reads the next line; a pasted line may contain line breaks. Resolves to undefined at the end (Ctrl+D). Rejects with
   * Interrupted at Ctrl+C, or with the signal's reason. The prompt is printed on a terminal only.
   */
  read(prompt: string, options: { signal: AbortSignal }): Promise<string | undefined>;
}

/** Opens a text in an editor, in a file with this name, and resolves to the saved text. */
export type EditText = (text: string, name: string) => Promise<string>;

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  readonly prompter: Prompter;
  /** Hides pressed keys until disposed, and keeps them for the next line or prompt. Call it at a terminal only. */
  mute(): Disposable;
  /**
   * Opens the input as lines. With `edited` the user can edit them, and Ctrl+D on an empty line ends them; with
   * `endsInLine` Ctrl+D within a line ends them, too, after that line.
   */
  openLines(options: { edited: boolean; endsInLine?: boolean }): Promise<LineSource>;
}
