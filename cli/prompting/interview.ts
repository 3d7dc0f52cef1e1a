// Asks a series of questions at the terminal. An invalid answer repeats its question.
import { hasPerson } from "./ask_person.ts";
import type { CommandContext } from "../context/context.ts";
import { Interrupted, misuse } from "../context/exit.ts";
import type { Choice, Prompter } from "../context/input.ts";

/** A check of an answer. It returns the problem as a sentence, or undefined for a valid answer. */
export type CheckAnswer = (answer: string) => Promise<string | undefined> | string | undefined;

/** The questions of one command. Every method throws Interrupted at Esc and Ctrl+C. */
export class Interview {
  readonly #context: CommandContext;

  /** Throws CommandFailure if there is no terminal. `instead` is a sentence of the error message that says what to do. */
  constructor(context: CommandContext, instead: string) {
    if (!hasPerson(context)) {
      throw misuse(`Cannot ask questions: this is not a terminal. ${instead}`);
    }
    this.#context = context;
  }

  /** Asks for a line of text. `initial` is the default answer, for Enter without a text. */
  text(
    { check, ...question }: Parameters<Prompter["text"]>[0] & { check?: CheckAnswer },
  ): Promise<string> {
    return this.#untilValid(() => this.#prompter.text(question), check);
  }

  /** Asks for a secret. An empty answer is valid. */
  secret({ message, check }: { message: string; check: CheckAnswer }): Promise<string> {
    return this.#untilValid(
      () => this.#prompter.secret({ message }),
      (answer) => answer === "" ? undefined : check(answer),
    );
  }

  async #untilValid(
    ask: () => Promise<string | undefined>,
    check: CheckAnswer | undefined,
  ): Promise<string> {
    for (;;) {
      const answer = given(await ask()).trim();
      const problem = await check?.(answer);
      if (problem === undefined) return answer;
      this.complain(problem);
    }
  }

  async select<Value extends string>(
    question: {
      message: string;
      choices: readonly (Choice & { value: Value })[];
      initial?: Value;
    },
  ): Promise<Value> {
    return given(await this.#prompter.select(question)) as Value;
  }

  /** Asks for one or more of the choices. */
  async multiselect(
    question: { message: string; choices: readonly Choice[] },
  ): Promise<string[]> {
    return given(await this.#prompter.multiselect(question));
  }

  async confirm(message: string, options: { initial: boolean }): Promise<boolean> {
    return given(await this.#prompter.confirm({ message, ...options }));
  }

  /** Prints the problem of an invalid answer. */
  complain(problem: string): void {
    this.#context.output.error(problem);
  }

  get #prompter(): Prompter {
    return this.#context.app.input.prompter;
  }
}

/** Returns the answer. Throws Interrupted if the user skipped the question. */
function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Interrupted();
  return answer;
}
