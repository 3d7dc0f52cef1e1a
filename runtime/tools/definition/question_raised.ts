// The error by which a running tool asks a person. After the answer, the tool is called again.
import type { ToolQuestion } from "./tool.ts";

/** Error: the call needs an answer from a person. The execution waits for the answer, then repeats the call. */
export class QuestionRaised extends Error {
  override readonly name = "QuestionRaised";
  readonly question: ToolQuestion;

  constructor(question: ToolQuestion) {
    super(question.message);
    this.question = question;
  }
}
