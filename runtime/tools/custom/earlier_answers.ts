// The answers that a call of a custom tool had before: each goes to the question that it was given to, to no other.
import type { AnsweredQuestion, HumanAnswer, ToolQuestion } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";

/** How often the question at one place of a call may become another: more, and it asks something else each time. */
const MAX_CHANGES = 3;

/** Hands out the answers of one run of a call. */
export class EarlierAnswers {
  #unused: readonly AnsweredQuestion[];
  #used = 0;

  constructor(answered: readonly AnsweredQuestion[]) {
    this.#unused = answered;
  }

  /**
   * What was answered to exactly this question (of two equal ones the first gets the first answer), else the question as it
   * is to be asked, with its place.
   * Throws ToolFailure when the tool asked too often for nothing.
   */
  take(question: ToolQuestion): { answer: HumanAnswer } | { question: ToolQuestion } {
    const found = this.#unused.find((one) => isSame(one.question, question));
    if (found !== undefined) {
      this.#unused = this.#unused.filter((one) => one !== found);
      this.#used++;
      return { answer: found.answer };
    }
    // At this place alone: answers to questions after a changed one are unused as well, and still to be asked for.
    const answersBefore = this.#used;
    const changed = this.#unused.filter((one) => one.question.answersBefore === answersBefore);
    if (changed.length <= MAX_CHANGES) return { question: { ...question, answersBefore } };
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
