// The interfaces of standard input and of prompts. Tests have fake implementations.

/** A question to the user. */
export interface Question {
  /** The text of the question. It is printed unchanged, so the caller must sanitize untrusted text. */
  message: string;
  /** The signal that closes the prompt when it aborts. The prompt then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A possible answer to a question with choices. */
export interface Choice {
  value: string;
  label: string;
  /** Additional text, printed after the label. */
  hint?: string;
}

/**
 * Asks the user questions at the terminal; not usable without a terminal. Every method resolves to undefined if the user
 * skips the question with Esc or Ctrl+D, and rejects with Interrupted at Ctrl+C.
 */
export interface Prompter {
  /**
   * Asks a yes-or-no question. No is preselected unless `initial` is true, so that Enter pressed by accident allows
   * nothing.
   */
  confirm(question: Question & { initial?: boolean }): Promise<boolean | undefined>;
  /** Asks for a line of text, which may be empty. `initial` is shown as the default, which Enter alone returns. */
  text(
    question: Question & { placeholder?: string; initial?: string },
  ): Promise<string | undefined>;
  /** Asks for a line of text without showing the typed characters. The line may be empty. */
  secret(question: Question): Promise<string | undefined>;
  /** Asks for one of a few choices. `initial` is the value of the preselected choice. */
  select(
    question: Question & { choices: readonly Choice[]; initial?: string },
  ): Promise<string | undefined>;
  /** Asks for one or more of a few choices. */
  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined>;
  /** Asks for one of many choices, which the user can filter by typing. */
  search(question: Question & { choices: readonly Choice[] }): Promise<string | undefined>;
}

/** A source of input lines: a terminal or a pipe. */
export interface LineSource extends AsyncDisposable {
  /**
   * Prints the prompt, on a terminal only, and reads the next line. A pasted text with line breaks is one line. Resolves to
   * undefined at the end of the input (Ctrl+D). Rejects with Interrupted at Ctrl+C, or with the reason of an aborted
   * `signal`.
   */
  read(prompt: string, options: { signal: AbortSignal }): Promise<string | undefined>;
}

/** Opens a text in an editor, in a temporary file with the name `name`, and resolves to the saved text. */
export type EditText = (text: string, name: string) => Promise<string>;

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  readonly prompter: Prompter;
  /**
   * Hides pressed keys until the result is disposed, but keeps them for the next line or prompt. Not usable without a
   * terminal.
   */
  mute(): Disposable;
  /**
   * Opens the input as lines. With `edited` the user can edit a line with the arrow keys, and Ctrl+D on an empty line ends
   * the input. With `endsInLine`, Ctrl+D after typed text ends the input, too, and that text is the last line.
   */
  openLines(options: { edited: boolean; endsInLine?: boolean }): Promise<LineSource>;
}
