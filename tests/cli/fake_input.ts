// A fake standard input with the prepared answers of a test.
import assert from "node:assert/strict";
import { Interrupted } from "../../cli/context/exit.ts";
import type { Choice, Input, LineSource, Prompter, Question } from "../../cli/context/input.ts";

/** The person presses Ctrl+C. */
export const CTRL_C = Symbol("Ctrl+C");
/** The person presses Esc. */
export const ESC = Symbol("Esc");
/** The person presses no key. */
export const NOTHING = Symbol("nothing");

/** A prompt that a command showed. */
export interface Asked {
  kind: "confirm" | "text" | "secret" | "select" | "multiselect" | "search";
  message: string;
  choices?: string[];
}

/** The person presses Ctrl+D before the end of a line. */
export const CTRL_D = Symbol("Ctrl+D");

/** An Input with prepared answers and lines. */
export class FakeInput implements Input {
  isTerminal: boolean;
  /** The answers in the order of the prompts. A further prompt fails the test. */
  answers: unknown[] = [];
  asked: Asked[] = [];
  /** The lines, followed by the end of the input. */
  lines: (string | typeof CTRL_C | typeof CTRL_D | typeof NOTHING)[] = [];
  /**
   * The option `edited` of the last openLines() call; undefined before the first call. True means that the user can edit a
   * line with the arrow keys.
   */
  edited: boolean | undefined;
  isOpen = false;
  isMuted = false;

  constructor(options: { isTerminal: boolean }) {
    this.isTerminal = options.isTerminal;
  }

  readonly prompter: Prompter = {
    confirm: (question) => this.#ask<boolean>("confirm", question),
    text: (question) => this.#ask<string>("text", question),
    secret: (question) => this.#ask<string>("secret", question),
    select: (question) => this.#ask<string>("select", question),
    multiselect: (question) => this.#ask<string[]>("multiselect", question),
    search: (question) => this.#ask<string>("search", question),
  };

  mute(): Disposable {
    this.isMuted = true;
    return { [Symbol.dispose]: () => this.isMuted = false };
  }

  openLines({ edited }: { edited: boolean }): Promise<LineSource> {
    this.edited = edited;
    this.isOpen = true;
    return Promise.resolve({
      read: (_prompt, { signal }) => {
        const line = this.lines.shift();
        if (line === NOTHING) return untilAborted(signal);
        if (line === CTRL_D) return Promise.resolve(undefined);
        return line === CTRL_C ? Promise.reject(new Interrupted()) : Promise.resolve(line);
      },
      [Symbol.asyncDispose]: () => {
        this.isOpen = false;
        return Promise.resolve();
      },
    });
  }

  // deno-lint-ignore require-await -- Ctrl+C rejects
  async #ask<T>(
    kind: Asked["kind"],
    question: Question & { choices?: readonly Choice[] },
  ): Promise<T | undefined> {
    const { message, choices, signal } = question;
    this.asked.push({
      kind,
      message,
      ...(choices && { choices: choices.map((one) => one.value) }),
    });
    assert.ok(this.answers.length > 0, `nobody answers: ${message}`);
    const answer = this.answers.shift();
    if (answer === CTRL_C) throw new Interrupted();
    if (answer === NOTHING) return untilAborted(signal);
    return answer === ESC ? undefined : answer as T;
  }
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
