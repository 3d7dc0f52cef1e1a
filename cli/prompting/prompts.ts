// Questions to a person at a terminal. What draws them and reads the keys is loaded with the first of them: this file
// stands on the start-up path of every command.
import type { Clock } from "../app.ts";
import { Interrupted } from "../exit.ts";
import type { Choice, Prompter, Question } from "./input.ts";
import type { Terminal } from "../output/terminal.ts";
import { wrapExactly, wrapText } from "../output/wrap.ts";

type Clack = typeof import("@clack/prompts");
type Process = typeof import("node:process");

/** Long enough for the keys that wait in the terminal to arrive, too short to be noticed. */
const TYPE_AHEAD_MS = 30;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const SHOWN_CHOICES = 12;
/** Cells of a line that a prompt keeps for its marks. */
const MARGIN = 4;
/** Those that a list keeps: the package counts the colour of its marks (10), too. */
const LIST_MARGIN = MARGIN + 11;
/** What stands before each line of a question; some prompts of the package leave it out. */
const BAR = "│  ";
/** Two lines up, which hold the answer and the end of a prompt, and both anew. */
const NOT_ANSWERED = "\x1b[2A\r\x1b[J│  not answered\n│\n";

/** Asks on the terminal of this process. */
export class TerminalPrompter implements Prompter {
  readonly #terminal: Terminal;
  readonly #clock: Clock;

  constructor(options: { terminal: Terminal; clock: Clock }) {
    this.#terminal = options.terminal;
    this.#clock = options.clock;
  }

  async confirm(
    { message, initial = false, signal }: Question & { initial?: boolean },
  ): Promise<boolean | undefined> {
    const answer = await this.#ask(signal, (clack, signal) => {
      return clack.confirm({ message: this.#wrap(message), initialValue: initial, signal });
    });
    // The package shows "Yes" for a question that was put aside.
    if (answer === undefined) this.#terminal.write(NOT_ANSWERED);
    return answer;
  }

  text(
    { initial, ...question }: Question & { placeholder?: string; initial?: string },
  ): Promise<string | undefined> {
    const message = this.#wrap(question.message, BAR);
    const shown = initial === undefined ? {} : { placeholder: initial, defaultValue: initial };
    return this.#ask(question.signal, async (clack, signal) => {
      return await clack.text({ ...question, ...shown, message, signal }) ?? "";
    });
  }

  secret({ message, signal }: Question): Promise<string | undefined> {
    return this.#ask(signal, async (clack, signal) => {
      return await clack.password({ message: this.#wrap(message, BAR), signal }) ?? "";
    });
  }

  select(
    question: Question & { choices: readonly Choice[]; initial?: string },
  ): Promise<string | undefined> {
    const { initial } = question;
    return this.#ask(question.signal, (clack, signal) => {
      const start = initial === undefined ? {} : { initialValue: initial };
      return clack.select({ ...this.#toList(question), ...start, signal });
    });
  }

  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined> {
    return this.#ask(question.signal, (clack, signal) => {
      return clack.multiselect({ ...this.#toList(question), required: true, signal });
    });
  }

  async search(
    question: Question & { choices: readonly Choice[] },
  ): Promise<string | undefined> {
    const { searchChoices } = await import("./choice_search.ts");
    let typed: string | undefined;
    let found: (Omit<Choice, "value"> & { value: { id: string } })[] = [];
    const answer = await this.#ask(
      question.signal,
      (clack, signal) =>
        clack.autocomplete<{ id: string }>({
          message: this.#wrap(question.message, BAR),
          maxItems: SHOWN_CHOICES,
          options() {
            if (this.userInput === typed) return found;
            typed = this.userInput;
            // The cursor stays with the value that it was at: new values take it to the first, which fits best.
            found = searchChoices(question.choices, typed)
              .map((choice) => ({ ...choice, value: { id: choice.value } }));
            return found;
          },
          validate: (value) => value === undefined ? "No match" : undefined,
          signal,
        }),
    );
    return answer?.id;
  }

  #toList({ message, choices }: Question & { choices: readonly Choice[] }): {
    message: string;
    options: Choice[];
    maxItems: number;
  } {
    const width = this.#terminal.columns - LIST_MARGIN;
    const options = choices.map((choice) => wrapChoice(choice, width));
    return { message: this.#wrap(message), options, maxItems: SHOWN_CHOICES };
  }

  /** The question with its lines broken at spaces: the package breaks them anywhere. */
  #wrap(message: string, bar = ""): string {
    return wrapExactly(message, this.#terminal.columns - MARGIN).replaceAll("\n", `\n${bar}`);
  }

  async #ask<T>(
    signal: AbortSignal | undefined,
    show: (clack: Clack, signal: AbortSignal) => Promise<T>,
  ): Promise<Exclude<T, symbol> | undefined> {
    signal?.throwIfAborted();
    const [clack, { default: process }, { restoreOnSignal }] = await Promise.all([
      import("@clack/prompts"),
      import("node:process"),
      import("./raw_terminal.ts"),
    ]);
    // Node's readline closes at Ctrl+D: a prompt that did not end there would hear no further key.
    clack.updateSettings({ aliases: { [CTRL_D]: "cancel" } });
    using _guard = restoreOnSignal(this.#terminal);
    this.#setSize(process);
    // A key that was pressed before the question was seen does not answer it.
    await this.#discardTypeAhead(process, signal);
    // A signal of its own: the package would still draw when one aborts long after the answer.
    const open = new AbortController();
    const onAbort = () => open.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    let key: { name?: string; ctrl?: boolean } | undefined;
    const onKey = (_text: string | undefined, pressed: typeof key) => key = pressed;
    process.stdin.on("keypress", onKey);
    try {
      const answer = await show(clack, open.signal);
      signal?.throwIfAborted();
      if (!clack.isCancel(answer)) return answer as Exclude<T, symbol>;
      if (key?.ctrl === true && key.name === "c") throw new Interrupted();
      return undefined;
    } finally {
      process.stdin.off("keypress", onKey);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** A terminal that does not report its size would have no columns for the package: one character to a line. */
  #setSize({ stdout }: Process): void {
    if (stdout.columns > 0 && stdout.rows > 0) return;
    const { columns, rows } = this.#terminal;
    Object.assign(stdout, { columns, rows });
  }

  async #discardTypeAhead(
    { stdin }: Process,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let isInterrupted = false;
    const onData = (keys: Uint8Array | string) => {
      if (String(keys).includes(CTRL_C)) isInterrupted = true;
    };
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.resume();
    try {
      await this.#clock.sleep(TYPE_AHEAD_MS, signal);
    } finally {
      stdin.off("data", onData);
      stdin.pause();
      stdin.setRawMode(false);
    }
    if (isInterrupted) throw new Interrupted();
  }
}

/** A choice broken at spaces, with the hint in parentheses behind it, as the package shows them. */
function wrapChoice(choice: Choice, width: number): Choice {
  const { hint } = choice;
  const label = wrapText(choice.label, width, { hanging: 2 });
  const whole = hint === undefined
    ? label
    : wrapText(`${choice.label} (${hint})`, width, { hanging: 2 });
  const lead = `${label} (`;
  // Where the line ends between the two, the package breaks it there.
  return {
    ...choice,
    label,
    ...(whole.startsWith(lead) && { hint: whole.slice(lead.length, -1) }),
  };
}
