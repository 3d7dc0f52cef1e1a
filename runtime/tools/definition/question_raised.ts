// The way a running tool asks a person: it throws the question, and is called again with the answer.
import type { ToolQuestion } from "./tool.ts";

/** Suspends a call: its execution waits for the answer to this question. */
export class QuestionRaised extends Error {
  override readonly name = "QuestionRaised";
  readonly question: ToolQuestion;

  constructor(question: ToolQuestion) {
    super(question.message);
    this.question = question;
  }
}
