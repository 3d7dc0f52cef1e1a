// Questions to a person at a terminal. What draws them and reads the keys is loaded with the first of them: this file
// stands on the start-up path of every command.
import type { Clock } from "./app.ts";
import { Interrupted } from "./exit.ts";
import type { Choice, Prompter, Question } from "./input.ts";
import type { Terminal } from "./output/terminal.ts";

type Clack = typeof import("@clack/prompts");
type Process = typeof import("node:process");

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

  confirm({ message, signal }: Question): Promise<boolean | undefined> {
    return this.#ask(signal, (clack, signal) => {
      return clack.confirm({ message, initialValue: false, signal });
    });
  }

  text(question: Question & { placeholder?: string }): Promise<string | undefined> {
    return this.#ask(question.signal, async (clack, signal) => {
      return await clack.text({ ...question, signal }) ?? "";
    });
  }

  select(question: Question & { choices: readonly Choice[] }): Promise<string | undefined> {
    return this.#ask(question.signal, (clack, signal) => {
      return clack.select({ ...toList(question), signal });
    });
  }

  multiselect(question: Question & { choices: readonly Choice[] }): Promise<string[] | undefined> {
    return this.#ask(question.signal, (clack, signal) => {
      return clack.multiselect({ ...toList(question), required: true, signal });
    });
  }

  search(question: Question & { choices: readonly Choice[] }): Promise<string | undefined> {
    return this.#ask(question.signal, (clack, signal) => {
      return clack.autocomplete({ ...toList(question), signal });
    });
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
    using _guard = restoreOnSignal(this.#terminal);
    // A key that was pressed before the question was seen is no answer to it.
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

function toList({ message, choices }: Question & { choices: readonly Choice[] }): {
  message: string;
  options: Choice[];
  maxItems: number;
} {
  return { message, options: [...choices], maxItems: SHOWN_CHOICES };
}
