// Questions to a person at a terminal, drawn by a package that is loaded with the first of them.
import process from "node:process";
import type { Clock } from "./app.ts";
import { Interrupted } from "./exit.ts";
import type { Choice, Prompter, Question } from "./input.ts";
import type { Terminal } from "./output/terminal.ts";
import { restoreOnSignal } from "./raw_terminal.ts";

type Clack = typeof import("@clack/prompts");

/** Long enough for the keys that wait in the terminal to arrive, too short to be noticed. */
const TYPE_AHEAD_MS = 30;
const CTRL_C = "\u0003";
const SHOWN_CHOICES = 12;

/** Asks on the terminal of this process. */
export class TerminalPrompter implements Prompter {
  readonly #terminal: Terminal;
  readonly #clock: Clock;

  constructor(options: { terminal: Terminal; clock: Clock }) {
    this.#terminal = options.terminal;
    this.#clock = options.clock;
  }

  confirm(question: Question): Promise<boolean | undefined> {
    return this.#ask(question, (clack) => clack.confirm({ ...question, initialValue: false }));
  }

  text(question: Question & { placeholder?: string }): Promise<string | undefined> {
    return this.#ask(question, async (clack) => await clack.text(question) ?? "");
  }

  select(question: Question & { choices: readonly Choice[] }): Promise<string | undefined> {
    const { choices, ...rest } = question;
    return this.#ask(
      question,
      (clack) => clack.select({ ...rest, options: [...choices], maxItems: SHOWN_CHOICES }),
    );
  }

  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined> {
    const { choices, ...rest } = question;
    const options = { ...rest, options: [...choices], required: true, maxItems: SHOWN_CHOICES };
    return this.#ask(question, (clack) => clack.multiselect(options));
  }

  search(question: Question & { choices: readonly Choice[] }): Promise<string | undefined> {
    const { choices, ...rest } = question;
    return this.#ask(
      question,
      (clack) => clack.autocomplete({ ...rest, options: [...choices], maxItems: SHOWN_CHOICES }),
    );
  }

  async #ask<T>(
    { signal }: Question,
    show: (clack: Clack) => Promise<T>,
  ): Promise<Exclude<T, symbol> | undefined> {
    signal?.throwIfAborted();
    const clack = await import("@clack/prompts");
    using _guard = restoreOnSignal(this.#terminal);
    // A key that was pressed before the question was seen is no answer to it.
    await this.#discardTypeAhead(signal);
    let key: { name?: string; ctrl?: boolean } | undefined;
    const onKey = (_text: string | undefined, pressed: typeof key) => key = pressed;
    process.stdin.on("keypress", onKey);
    try {
      const answer = await show(clack);
      signal?.throwIfAborted();
      if (!clack.isCancel(answer)) return answer as Exclude<T, symbol>;
      if (key?.ctrl === true && key.name === "c") throw new Interrupted();
      return undefined;
    } finally {
      process.stdin.off("keypress", onKey);
    }
  }

  async #discardTypeAhead(signal: AbortSignal | undefined): Promise<void> {
    const { stdin } = process;
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
