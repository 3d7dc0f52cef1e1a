// Reads edited lines from a terminal, with history. The terminal is in its normal mode between two lines.
import process from "node:process";
import { createInterface, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import { Interrupted } from "../context/exit.ts";
import type { LineSource } from "../context/input.ts";
import type { Terminal } from "../output/terminal.ts";
import {
  LINE_BREAK_SIGN,
  markLineBreaks,
  PasteTranslator,
  restoreLineBreaks,
} from "./pasted_text.ts";
import { restoreOnSignal } from "./raw_terminal.ts";

const HISTORY_LINES = 500;
const ENTER: Key = { name: "return" };
/** Turns the marks at the beginning and end of pastes on and off. */
const MARK_PASTES = "\u001b[?2004h";
const DO_NOT_MARK_PASTES = "\u001b[?2004l";

/** Reads edited lines. A paste of several lines is one line; the next Enter sends it. */
export class LineEditor implements LineSource {
  readonly #terminal: Terminal;
  readonly #endsInLine: boolean;
  readonly #decoder = new TextDecoder();
  readonly #pastes = new PasteTranslator();
  #history: string[] = [];
  /** Lines that arrived together with the one before, from a terminal that does not mark pastes. */
  #ahead: string[] = [];
  /** The beginning of the next line after those. */
  #begun = "";
  /** True if the end arrived together with the last lines. */
  #isOver = false;

  /** `endsInLine`: see Input.openLines(). */
  constructor(terminal: Terminal, { endsInLine }: { endsInLine: boolean }) {
    this.#terminal = terminal;
    this.#endsInLine = endsInLine;
  }

  async read(prompt: string, { signal }: { signal: AbortSignal }): Promise<string | undefined> {
    signal.throwIfAborted();
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) {
      const line = restoreLineBreaks(ahead);
      this.#terminal.write(`${prompt}${line}\n`);
      return line;
    }
    if (this.#isOver) return undefined;
    using _guard = restoreOnSignal(this.#terminal);
    using keys = this.#openKeys();
    this.#terminal.write(MARK_PASTES);
    try {
      const line = await this.#edit(keys.stream, prompt, signal);
      return line === undefined ? undefined : restoreLineBreaks(line);
    } catch (error) {
      this.#terminal.write("\n");
      throw error;
    } finally {
      this.#terminal.write(DO_NOT_MARK_PASTES);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  /** Opens the stream of pressed keys until disposed. */
  #openKeys(): Disposable & { stream: PassThrough } {
    const { stdin } = process;
    const stream = new PassThrough();
    const onData = (bytes: Uint8Array) => {
      stream.write(this.#pastes.translate(this.#decoder.decode(bytes, { stream: true })));
    };
    const onEnd = () => stream.end();
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.on("end", onEnd);
    stdin.resume();
    return {
      stream,
      [Symbol.dispose]() {
        stdin.off("data", onData);
        stdin.off("end", onEnd);
        stdin.pause();
        stdin.setRawMode(false);
      },
    };
  }

  async #edit(
    input: PassThrough,
    prompt: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const reader = createInterface({
      input,
      output: process.stdout,
      prompt,
      terminal: true,
      history: [...this.#history],
      historySize: HISTORY_LINES,
    });
    const lines: string[] = [];
    reader.on("history", (history) => this.#history = history);
    reader.on("line", (line) => {
      lines.push(line);
      if (lines.length > 1) return;
      // Keeps the lines that arrived together with this one for the next reads.
      queueMicrotask(() => {
        this.#ahead = lines.slice(1);
        this.#begun = this.#isOver ? "" : markLineBreaks(reader.line);
        if (this.#begun !== "") this.#terminal.write("\n");
        resolve(line);
      });
    });
    if (this.#endsInLine) {
      // Runs before the reader's own listener, which ends an empty line only.
      input.prependListener("keypress", (_text: unknown, key: Key | undefined) => {
        if (key?.ctrl && key.name === "d" && reader.line !== "") reader.write(null, ENTER);
      });
    }
    // Runs after the reader's own listener, which has inserted the sign of a line break.
    const breakLine = () => {
      if (!reader.line.includes(LINE_BREAK_SIGN)) return;
      Object.assign(reader, { line: restoreLineBreaks(reader.line) });
      reader.prompt(true);
    };
    input.on("keypress", breakLine);
    reader.on("SIGINT", () => reject(new Interrupted()));
    // Ctrl+Z would stop the process and leave the terminal in raw mode.
    reader.on("SIGTSTP", () => {});
    // Ctrl+D, or the terminal has closed. Lines that arrived together with it are returned first.
    const onEnd = () => {
      this.#isOver = true;
      if (lines.length === 0) resolve(undefined);
    };
    reader.on("close", onEnd);
    try {
      reader.prompt();
      if (this.#begun !== "") reader.write(this.#begun);
      breakLine();
      this.#begun = "";
      const line = await promise;
      if (line === undefined) this.#terminal.write("\n");
      return line;
    } finally {
      signal.removeEventListener("abort", onAbort);
      reader.off("close", onEnd);
      reader.close();
    }
  }
}
