// The errors by which a running tool asks a person, or lets its execution rest. After that, the tool is called again.
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

/** A rest that a call requests. Times are in milliseconds since the epoch. */
export interface RequestedRest {
  until: number;
  since: number;
  reason: string;
}

/** Error: the execution rests until a time, then repeats the call. No process holds it meanwhile. */
export class RestRaised extends Error {
  override readonly name = "RestRaised";
  readonly rest: RequestedRest;

  constructor(rest: RequestedRest) {
    super(rest.reason);
    this.rest = rest;
  }
}
