// Asks a series of questions at the terminal, and repeats a question after an invalid answer.
import { hasPerson } from "./ask_person.ts";
import type { CommandContext } from "../context/context.ts";
import { CommandFailure, EXIT, Interrupted } from "../context/exit.ts";
import type { Choice } from "../context/input.ts";

/** Returns the problem of an answer as a sentence, or undefined for a valid one. */
export type CheckAnswer = (answer: string) => Promise<string | undefined>;

/** A question for a line of text. */
export interface TextQuestion {
  message: string;
  /** The answer of Enter alone. */
  initial?: string;
  /** Shown while the line is empty. */
  placeholder?: string;
  check?: CheckAnswer;
}

/** Asks the questions of one command. Esc and Ctrl+C throw Interrupted. */
export class Interview {
  readonly #context: CommandContext;

  /** Throws CommandFailure without a terminal; `instead` is the advice in its message. */
  constructor(context: CommandContext, instead: string) {
    if (!hasPerson(context)) {
      throw new CommandFailure(
        EXIT.usage,
        `Cannot ask questions: this is not a terminal. ${instead}`,
      );
    }
    this.#context = context;
  }

  text({ check, ...question }: TextQuestion): Promise<string> {
    return this.#untilValid(() => this.#prompter.text(question), check);
  }

  secret({ message, check }: { message: string; check: CheckAnswer }): Promise<string> {
    return this.#untilValid(() => this.#prompter.secret({ message }), check);
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

  async confirm(message: string, options: { initial: boolean }): Promise<boolean> {
    return given(await this.#prompter.confirm({ message, ...options }));
  }

  /** Prints the problem of an answer. */
  complain(problem: string): void {
    this.#context.output.error(problem);
  }

  get #prompter(): CommandContext["app"]["input"]["prompter"] {
    return this.#context.app.input.prompter;
  }
}

/** Throws Interrupted if the user left the question open. */
function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Interrupted();
  return answer;
}
