// The answers that a call of a custom tool had before: each goes to the question that it was given to, to no other.
import type { AnsweredQuestion, HumanAnswer, ToolQuestion } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";

/** So many answers of a call may lie unused when it asks something new: more, and it asks something else each time. */
const MAX_UNUSED = 3;

/** Hands out the answers of one run of a call. */
export class EarlierAnswers {
  #unused: readonly AnsweredQuestion[];

  constructor(answered: readonly AnsweredQuestion[]) {
    this.#unused = answered;
  }

  /**
   * What was answered to exactly this question; of two equal ones the first gets the first answer. Undefined when it is to
   * be asked. Throws ToolFailure when the tool asked too often for nothing.
   */
  take(question: ToolQuestion): HumanAnswer | undefined {
    const found = this.#unused.find((one) => isSame(one.question, question));
    if (found !== undefined) {
      this.#unused = this.#unused.filter((one) => one !== found);
      return found.answer;
    }
    if (this.#unused.length <= MAX_UNUSED) return undefined;
    throw new ToolFailure(
      "The tool asked something else than before: on each run of a call it must ask the same questions in the same order.",
    );
  }
}

function isSame(one: ToolQuestion, other: ToolQuestion): boolean {
  const options = one.options ?? [];
  const others = other.options ?? [];
  return one.kind === other.kind && one.message === other.message && one.multi === other.multi &&
    options.length === others.length &&
    options.every((option, index) => option === others[index]);
}
