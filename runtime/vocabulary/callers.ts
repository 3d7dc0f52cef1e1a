// Defines the senders of requests and answers, and the questions that a program may answer.
import { ASK_USER, SIGN_IN } from "./tool_vocabulary.ts";

/** The channel of an answer. A `program` may be a model, which does not answer for a person. */
export type AnswerPlace = "terminal" | "page" | "link" | "editor" | "chat" | "program";

/** The sender of a request. `name` is the name of a known person. */
export interface Caller {
  via: AnswerPlace;
  name?: string;
}

/**
 * Returns true if a program may answer the question: a question of ask_user, or with `respond` also an approval. A sign-in
 * needs a person in any case.
 */
export function mayProgramAnswer(
  { toolName, isGuard, raise }: { toolName: string; isGuard?: boolean; raise?: unknown },
  { respond }: { respond: boolean },
): boolean {
  if (toolName === SIGN_IN) return false;
  return respond || (toolName === ASK_USER && isGuard !== true && raise === undefined);
}
