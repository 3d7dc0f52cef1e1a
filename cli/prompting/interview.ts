// A row of questions to the person at the terminal. An answer that is not valid is asked for again, with the reason.
import { hasPerson } from "./ask_person.ts";
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT, Interrupted } from "../exit.ts";
import type { Choice } from "./input.ts";

/** Why an answer is not valid, as a sentence; undefined when it is. */
export type CheckAnswer = (answer: string) => Promise<string | undefined>;

/** A question for a line of text. */
export interface TextQuestion {
  message: string;
  /** What Enter alone answers. */
  initial?: string;
  /** Shown where nothing is typed yet. */
  placeholder?: string;
  check?: CheckAnswer;
}

/** Asks; Esc and Ctrl+C end the command (Interrupted). */
export class Interview {
  readonly #context: CommandContext;

  /** Throws CommandFailure where nobody can be asked; `instead` says what to do there. */
  constructor(context: CommandContext, instead: string) {
    if (!hasPerson(context)) {
      throw new CommandFailure(
        EXIT.usage,
        `There is nobody to ask: this is not a terminal. ${instead}`,
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

  /** Says why an answer is not valid. */
  complain(problem: string): void {
    this.#context.output.error(problem);
  }

  get #prompter(): CommandContext["app"]["input"]["prompter"] {
    return this.#context.app.input.prompter;
  }
}

/** Whoever puts a question of a row aside does not want the rest. */
function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Interrupted();
  return answer;
}
