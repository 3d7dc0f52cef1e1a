// Standard input with a person at it who does what a test has laid down.
import assert from "node:assert/strict";
import { Interrupted } from "../../cli/exit.ts";
import type { Choice, Input, LineSource, Prompter, Question } from "../../cli/prompting/input.ts";

/** The person presses Ctrl+C. */
export const CTRL_C = Symbol("Ctrl+C");
/** The person presses Esc. */
export const ESC = Symbol("Esc");
/** The person does nothing. */
export const NOTHING = Symbol("nothing");

/** A prompt that was shown. */
export interface Asked {
  kind: "confirm" | "text" | "secret" | "select" | "multiselect" | "search";
  message: string;
  choices?: string[];
}

/** The person presses Ctrl+D before there are no more lines. */
export const CTRL_D = Symbol("Ctrl+D");

/** What the person does at the prompts, and what they type as lines. */
export class FakeInput implements Input {
  isTerminal: boolean;
  /** In the order of the prompts; a prompt beyond them fails the test. */
  answers: unknown[] = [];
  asked: Asked[] = [];
  /** In order; after them comes the end. */
  lines: (string | typeof CTRL_C | typeof CTRL_D | typeof NOTHING)[] = [];
  /** Whether lines were opened with editing. */
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
