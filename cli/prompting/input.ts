// Standard input and the person who types, as the command line sees them. Tests bring a person of their own.

/** What a question to a person is asked with. */
export interface Question {
  /** Shown as it is: text from elsewhere must be sanitised. */
  message: string;
  /** Takes the question back; the prompt rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One thing that may be chosen. */
export interface Choice {
  value: string;
  label: string;
  /** Shown beside the label. */
  hint?: string;
}

/**
 * Asks a person at the terminal; only to be used where there is one. Every method resolves to undefined when the person
 * puts the question aside (Esc, Ctrl+D), and rejects with Interrupted at Ctrl+C.
 */
export interface Prompter {
  /** Yes or no; unless `initial` says otherwise, no is preselected, because a stray Enter must allow nothing. */
  confirm(question: Question & { initial?: boolean }): Promise<boolean | undefined>;
  /** A line of text; may be empty. Enter alone gives `initial`, which is shown. */
  text(
    question: Question & { placeholder?: string; initial?: string },
  ): Promise<string | undefined>;
  /** A line of text that nobody may read on the screen; may be empty. */
  secret(question: Question): Promise<string | undefined>;
  /** One of a few; the cursor begins at `initial`. */
  select(
    question: Question & { choices: readonly Choice[]; initial?: string },
  ): Promise<string | undefined>;
  /** At least one of a few. */
  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined>;
  /** One of many, found by typing a part of it. */
  search(question: Question & { choices: readonly Choice[] }): Promise<string | undefined>;
}

/** Lines that somebody types, or that come out of a pipe. */
export interface LineSource extends AsyncDisposable {
  /**
   * The next line, which may hold line breaks when it was pasted; undefined at the end (Ctrl+D). Rejects with
   * Interrupted at Ctrl+C, or with the signal's reason. The prompt is shown on a terminal only.
   */
  read(prompt: string, options: { signal: AbortSignal }): Promise<string | undefined>;
}

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  readonly prompter: Prompter;
  /** Until disposed, keys are not shown: what is pressed is kept for the next line or prompt. Only at a terminal. */
  mute(): Disposable;
  /**
   * Opens it as lines, edited as they are typed or taken as they come. Ctrl+D ends edited lines where the line is still
   * empty; with `endsInLine` in any other place, too: what stands there is then the last line.
   */
  openLines(options: { edited: boolean; endsInLine?: boolean }): Promise<LineSource>;
}
