// How a running tool asks a person: it throws the question, and is run again when the answer is there.
import type { ToolQuestion } from "./tool.ts";

/** Ends a call for now: its execution waits for the answer to this question. */
export class QuestionRaised extends Error {
  override readonly name = "QuestionRaised";
  readonly question: ToolQuestion;

  constructor(question: ToolQuestion) {
    super(question.message);
    this.question = question;
  }
}
