// Asks questions at the terminal with the package @clack/prompts. The package is imported for the first question, because
// every command imports this file at its start.
import type { Writable } from "node:stream";
import type { Clock } from "../context/app.ts";
import { Interrupted } from "../context/exit.ts";
import type { Choice, Prompter, Question } from "../context/input.ts";
import type { Terminal } from "../output/terminal.ts";
import { createStyle } from "../output/style.ts";
import { wrapExactly, wrapText } from "../output/wrap.ts";

type Clack = typeof import("@clack/prompts");
type Process = typeof import("node:process");

/** The milliseconds before a question in which earlier pressed keys are discarded. Users do not notice the delay. */
const TYPE_AHEAD_MS = 30;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const SHOWN_CHOICES = 12;
/** The columns that @clack/prompts uses before each line of a prompt. */
const MARGIN = 4;
/**
 * The columns that @clack/prompts uses before each choice, and the 10 characters of color codes that it counts as columns.
 */
const LIST_MARGIN = MARGIN + 11;
/** The mark before each line of a question. Some prompts of @clack/prompts omit the mark after a line break. */
const BAR = "│  ";

/** A Prompter that uses the terminal of this process. */
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
    return await this.#ask({ message, signal }, (clack, common) => {
      return clack.confirm({ message: this.#wrap(message), initialValue: initial, ...common });
    });
  }

  text(
    { initial, ...question }: Question & { placeholder?: string; initial?: string },
  ): Promise<string | undefined> {
    const message = this.#wrap(question.message, BAR);
    const shown = initial === undefined ? {} : { placeholder: initial, defaultValue: initial };
    return this.#ask(question, async (clack, common) => {
      return await clack.text({ ...question, ...shown, message, ...common }) ?? "";
    });
  }

  secret({ message, signal }: Question): Promise<string | undefined> {
    return this.#ask({ message, signal }, async (clack, common) => {
      return await clack.password({ message: this.#wrap(message, BAR), ...common }) ?? "";
    });
  }

  select(
    question: Question & { choices: readonly Choice[]; initial?: string },
  ): Promise<string | undefined> {
    const { initial } = question;
    return this.#ask(question, (clack, common) => {
      const start = initial === undefined ? {} : { initialValue: initial };
      return clack.select({ ...this.#toList(question), ...start, ...common });
    });
  }

  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined> {
    return this.#ask(question, (clack, common) => {
      return clack.multiselect({ ...this.#toList(question), required: true, ...common });
    });
  }

  async search(
    question: Question & { choices: readonly Choice[] },
  ): Promise<string | undefined> {
    const { searchChoices } = await import("./choice_search.ts");
    let typed: string | undefined;
    let found: (Omit<Choice, "value"> & { value: { id: string } })[] = [];
    const answer = await this.#ask(
      question,
      (clack, common) =>
        clack.autocomplete<{ id: string }>({
          message: this.#wrap(question.message, BAR),
          maxItems: SHOWN_CHOICES,
          options() {
            if (this.userInput === typed) return found;
            typed = this.userInput;
            // @clack/prompts keeps the cursor at the choice whose value it knows. New value objects move the cursor to the
            // first choice, which matches best.
            found = searchChoices(question.choices, typed)
              .map((choice) => ({ ...choice, value: { id: choice.value } }));
            return found;
          },
          validate: (value) => value === undefined ? "No match" : undefined,
          ...common,
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

  /** Wraps the text of a question at spaces, because @clack/prompts would wrap it inside words. */
  #wrap(message: string, bar = ""): string {
    return wrapExactly(message, this.#terminal.columns - MARGIN).replaceAll("\n", `\n${bar}`);
  }

  async #ask<T>(
    { message, signal }: { message: string; signal?: AbortSignal | undefined },
    show: (clack: Clack, common: { signal: AbortSignal; output: Writable }) => Promise<T>,
  ): Promise<Exclude<T, symbol> | undefined> {
    signal?.throwIfAborted();
    const [clack, { default: process }, { restoreOnSignal }, { CountedOutput }] = await Promise.all(
      [
        import("@clack/prompts"),
        import("node:process"),
        import("./raw_terminal.ts"),
        import("./counted_output.ts"),
      ],
    );
    // Node's readline ends the input at Ctrl+D, so the prompt must be cancelled at the same time.
    clack.updateSettings({ aliases: { [CTRL_D]: "cancel" } });
    using _guard = restoreOnSignal(this.#terminal);
    this.#setSize(process);
    // A key that was pressed before the question appeared must not answer the question.
    await this.#discardTypeAhead(process, signal);
    // @clack/prompts draws the prompt again if its signal aborts after the answer. Therefore the prompt gets a separate
    // signal, which has no listener after the answer.
    const open = new AbortController();
    const onAbort = () => open.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    let key: { name?: string; ctrl?: boolean } | undefined;
    const onKey = (_text: string | undefined, pressed: typeof key) => key = pressed;
    process.stdin.on("keypress", onKey);
    const output = new CountedOutput(process.stdout);
    try {
      const answer = await show(clack, { signal: open.signal, output: output.stream });
      if (!clack.isCancel(answer)) return answer as Exclude<T, symbol>;
      const isElsewhere = signal?.aborted && !(signal.reason instanceof Interrupted);
      this.#redraw(clack, {
        rows: output.rows,
        message,
        end: isElsewhere ? "answered elsewhere" : "not answered",
      });
      signal?.throwIfAborted();
      if (key?.ctrl === true && key.name === "c") throw new Interrupted();
      return undefined;
    } finally {
      process.stdin.off("keypress", onKey);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Draws an unanswered prompt again with the text `end`, because @clack/prompts shows the highlighted choice as if it were
   * the answer.
   */
  #redraw(
    { S_BAR, S_STEP_CANCEL }: Clack,
    { rows, message, end }: { rows: number; message: string; end: string },
  ): void {
    const { dim, red } = createStyle(this.#terminal);
    const lines = [
      dim(S_BAR),
      `${red(S_STEP_CANCEL)}  ${this.#wrap(message, `${dim(S_BAR)}  `)}`,
      `${dim(S_BAR)}  ${dim(end)}`,
      dim(S_BAR),
    ];
    this.#terminal.write(`\x1b[${rows}A\r\x1b[J${lines.join("\n")}\n`);
  }

  /** Sets a default size for a terminal that reports none. @clack/prompts would otherwise print one character per line. */
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

/** Wraps a choice at spaces. The hint follows the label in parentheses, as @clack/prompts prints it. */
function wrapChoice(choice: Choice, width: number): Choice {
  const { hint } = choice;
  const label = wrapText(choice.label, width, { hanging: 2 });
  const whole = hint === undefined
    ? label
    : wrapText(`${choice.label} (${hint})`, width, { hanging: 2 });
  const lead = `${label} (`;
  // @clack/prompts itself breaks a line between label and hint.
  return {
    ...choice,
    label,
    ...(whole.startsWith(lead) && { hint: whole.slice(lead.length, -1) }),
  };
}
