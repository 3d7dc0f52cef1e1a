// The question that a run asks while an MCP server needs a sign-in. The sign-in answers it for every run.
import type { JsonObject } from "../../../base/json.ts";
import type { ToolQuestion } from "../../tools/definition/tool.ts";
import type { SignInRequired } from "../../tools/failures/sign_in_required.ts";
import { SIGN_IN } from "../../vocabulary/tool_vocabulary.ts";
import { Conversation } from "../record/conversation.ts";
import type { StoredRun } from "../record/execution_reads.ts";
import type { GivenAnswer } from "../human_request.ts";
import type { RunPorts } from "./run_ports.ts";

/** A question about a sign-in. */
interface SignInQuestion {
  call: { position: number; name: string };
  question: ToolQuestion;
  args: JsonObject;
}

/**
 * Returns the question, or undefined if the last answer gave up. `position` is that of the next message, so that the answer
 * is not mistaken for the answer to a call.
 */
export function toSignInQuestion(
  { server, message }: SignInRequired,
  { position, answers }: { position: number; answers: ReadonlyMap<number, readonly GivenAnswer[]> },
): SignInQuestion | undefined {
  const last = answers.get(position)?.at(-1);
  const isDenied = last?.request.toolName === SIGN_IN &&
    !("approved" in last.answer && last.answer.approved);
  if (isDenied) return undefined;
  return {
    call: { position, name: SIGN_IN },
    question: {
      kind: "confirm",
      message: `${message}\nThe sign-in continues all runs that wait for it. A denial ends them`,
      options: null,
      multi: false,
    },
    args: { server },
  };
}

/** Returns the question of a run whose tools could not be opened. Throws the error if the last answer gave up. */
export async function pauseForSignIn(
  error: SignInRequired,
  { execution, isFresh }: StoredRun,
  { conversations }: Pick<RunPorts, "conversations">,
): Promise<SignInQuestion> {
  const { messages, answers } = isFresh
    ? { messages: [], answers: new Map() }
    : await conversations.readConversation(execution.id);
  const position = new Conversation(messages).nextPosition;
  const question = toSignInQuestion(error, { position, answers });
  if (question === undefined) throw error;
  return question;
}
