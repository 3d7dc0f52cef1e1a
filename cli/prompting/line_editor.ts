// Reads lines that the user edits at a terminal, with a history. Between two lines the terminal is in its normal mode.
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
/** Control sequences: the terminal marks the beginning and end of each paste, or no longer marks them. */
const MARK_PASTES = "\u001b[?2004h";
const DO_NOT_MARK_PASTES = "\u001b[?2004l";

/** A source of lines that the user edits at a terminal. A pasted text of several lines is one line, which Enter sends. */
export class LineEditor implements LineSource {
  readonly #terminal: Terminal;
  readonly #endsInLine: boolean;
  readonly #decoder = new TextDecoder();
  readonly #pastes = new PasteTranslator();
  #history: string[] = [];
  /**
   * Complete lines that arrived together with a returned line. A terminal that does not mark pastes sends all lines of a
   * paste at once.
   */
  #ahead: string[] = [];
  /** The incomplete line that arrived after the lines in #ahead. */
  #begun = "";
  /** True if the input ended after the lines in #ahead. */
  #isOver = false;

  /** Creates an editor. For `endsInLine` see Input.openLines(). */
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

  /** Puts the terminal into raw mode and returns a stream of pressed keys. Disposal restores the normal mode. */
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
      // Keeps the other lines that arrived at the same time for later reads.
      queueMicrotask(() => {
        this.#ahead = lines.slice(1);
        this.#begun = this.#isOver ? "" : markLineBreaks(reader.line);
        if (this.#begun !== "") this.#terminal.write("\n");
        resolve(line);
      });
    });
    if (this.#endsInLine) {
      // Must run before Node's listener, which ends the input only if the line is empty.
      input.prependListener("keypress", (_text: unknown, key: Key | undefined) => {
        if (key?.ctrl && key.name === "d" && reader.line !== "") reader.write(null, ENTER);
      });
    }
    // Must run after Node's listener, which has inserted LINE_BREAK_SIGN into the line.
    const breakLine = () => {
      if (!reader.line.includes(LINE_BREAK_SIGN)) return;
      Object.assign(reader, { line: restoreLineBreaks(reader.line) });
      reader.prompt(true);
    };
    input.on("keypress", breakLine);
    reader.on("SIGINT", () => reject(new Interrupted()));
    // Ignores Ctrl+Z, which would suspend the process and leave the terminal in raw mode.
    reader.on("SIGTSTP", () => {});
    // The user pressed Ctrl+D, or the terminal was closed. Lines that arrived before the end are returned first.
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
