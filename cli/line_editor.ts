// Lines typed at a terminal, with editing and history. Between two lines the terminal is as it was.
import process from "node:process";
import { createInterface } from "node:readline";
import { Interrupted } from "./exit.ts";
import type { LineSource } from "./input.ts";
import type { Terminal } from "./output/terminal.ts";
import { restoreOnSignal } from "./raw_terminal.ts";

const HISTORY_LINES = 500;
/** With it the terminal tells where a paste begins and ends. */
const MARK_PASTES = "\u001b[?2004h";
const DO_NOT_MARK_PASTES = "\u001b[?2004l";
const CONTINUATION_PROMPT = "… ";

/** The lines that a person types. A paste of several lines is one; it is sent by the Enter behind it. */
export class LineEditor implements LineSource {
  readonly #terminal: Terminal;
  #history: string[] = [];
  /** Lines that came together with the one before, from a terminal that does not mark pastes. */
  #ahead: string[] = [];
  /** The beginning of the line after those. */
  #begun = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async read(prompt: string, { signal }: { signal: AbortSignal }): Promise<string | undefined> {
    signal.throwIfAborted();
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) {
      this.#terminal.write(`${prompt}${ahead}\n`);
      return ahead;
    }
    using _guard = restoreOnSignal(this.#terminal);
    this.#terminal.write(MARK_PASTES);
    try {
      return await this.#edit(prompt, signal);
    } finally {
      this.#terminal.write(DO_NOT_MARK_PASTES);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async #edit(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const { stdin: input, stdout: output } = process;
    const reader = createInterface({
      input,
      output,
      prompt,
      terminal: true,
      history: [...this.#history],
      historySize: HISTORY_LINES,
    });
    const lines: string[] = [];
    let isPasting = false;
    /** How many of the lines are the text that was asked for; undefined while it is open. */
    let count: number | undefined;
    const onKey = (_text: string | undefined, key: { name?: string }) => {
      if (key.name === "paste-start") isPasting = true;
      if (key.name === "paste-end") isPasting = false;
    };
    input.on("keypress", onKey);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    reader.on("history", (history) => this.#history = history);
    reader.on("line", (line) => {
      lines.push(line);
      if (isPasting) {
        reader.setPrompt(CONTINUATION_PROMPT);
        reader.prompt();
      } else if (count === undefined) {
        count = lines.length;
        // The other keys of the same read come first: they are lines of their own.
        queueMicrotask(() => {
          this.#ahead = lines.slice(count);
          this.#begun = reader.line;
          resolve(lines.slice(0, count).join("\n"));
        });
      }
    });
    reader.on("SIGINT", () => reject(new Interrupted()));
    // Ctrl+Z would stop the process with its terminal as it is now.
    reader.on("SIGTSTP", () => {});
    reader.on("close", () => resolve(undefined));
    try {
      reader.prompt();
      if (this.#begun !== "") reader.write(this.#begun);
      this.#begun = "";
      const text = await promise;
      if (text === undefined) this.#terminal.write("\n");
      return text;
    } catch (error) {
      this.#terminal.write("\n");
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      input.off("keypress", onKey);
      reader.close();
    }
  }
}
