// Matches the questions of a repeated call with the answers that people gave to its earlier runs.
import { ToolFailure } from "../failures/tool_failure.ts";
import type { AnsweredQuestion, HumanAnswer, ToolQuestion } from "./tool.ts";

/** The maximum number of times that a call may ask another question at the same position when it runs again. */
const MAX_CHANGES = 3;

/** The stored answers that one run of a call has not used yet. */
export class EarlierAnswers {
  #unused: readonly AnsweredQuestion[];
  #used = 0;

  constructor(answered: readonly AnsweredQuestion[]) {
    this.#unused = answered;
  }

  /**
   * Returns the stored answer to a question with the same text and options. Equal questions get their answers in order.
   * Without a stored answer, returns the question with its position in the call. Throws ToolFailure if the tool changed the
   * question at this position too often.
   */
  take(question: ToolQuestion): { answer: HumanAnswer } | { question: ToolQuestion } {
    const found = this.#unused.find((one) => isSame(one.question, question));
    if (found !== undefined) {
      this.#unused = this.#unused.filter((one) => one !== found);
      this.#used++;
      return { answer: found.answer };
    }
    // Only unused answers at this position count as changes. Answers to later questions are unused, too, and may be needed
    // later.
    const answersBefore = this.#used;
    const changed = this.#unused.filter((one) => one.question.answersBefore === answersBefore);
    if (changed.length <= MAX_CHANGES) return { question: { ...question, answersBefore } };
    throw new ToolFailure(
      "The tool asked something else than before: on each run of a call it must ask the same questions in the same order.",
    );
  }
}

function isSame(one: ToolQuestion, other: ToolQuestion): boolean {
  const [first, second] = [one, other].map(({ kind, message, multi, options }) =>
    JSON.stringify([kind, message, multi, options ?? []])
  );
  return first === second;
}
