// What becomes of a tool call, decided before anything happens: by its arguments, what people answered, and what an earlier
// process left of it.
import type { JsonObject } from "../json.ts";
import { parseArguments } from "../tools/arguments.ts";
import type { Delegation, ToolQuestion } from "../tools/tool.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import type { PlannedCall } from "./conversation.ts";
import {
  describeAnswer,
  describeDenial,
  type GivenAnswer,
  type HumanAnswer,
} from "./human_request.ts";
import type { CallResult, ReadyCall } from "./perform_call.ts";
import type { Run } from "./run.ts";

/** What becomes of a call. */
export type PreparedCall =
  /** It has its result already. */
  | { kind: "settled"; result: CallResult }
  /** A person is asked first; with `isGuard` whether the call may run at all. */
  | { kind: "ask"; question: ToolQuestion; args: JsonObject; isGuard?: true }
  | { kind: "run"; ready: ReadyCall }
  /** Another execution works on it, or, with `delegation`, is to begin. */
  | { kind: "delegate"; delegation?: Delegation };

/** What it is decided by. */
export type CallCircumstances = Pick<
  Run,
  "agent" | "toolbox" | "answers" | "leftCalls" | "delegated"
>;

/** Decides what becomes of a call. Does nothing; what is wrong with the call is its result. */
export function prepareCall(run: CallCircumstances, call: PlannedCall): PreparedCall {
  // Whatever the agent's file says by now: another execution works on it, and what that does is to be known.
  if (run.delegated.has(call.position)) return { kind: "delegate" };
  const tool = run.toolbox.get(call.name);
  if (tool === undefined) {
    return refuse(`Unknown tool "${call.name}". Available: ${run.toolbox.names().join(", ")}`);
  }
  const answers = run.answers.get(call.position) ?? [];
  try {
    const args = tool.check(parseArguments(call.arguments));
    if (tool.question !== undefined) {
      const [given] = answers;
      if (given === undefined) return { kind: "ask", question: tool.question(args), args };
      return settled(answerResult(given.answer));
    }
    const effect = tool.delegation === undefined ? tool.effect(args) : "read";
    if (run.leftCalls.get(call.position)?.startedAt != null && effect === "unsafe") {
      return refuse(
        "The service stopped while this call was running, so its outcome is unknown. It was not repeated. " +
          "Find out whether it took effect before you do it again.",
      );
    }
    // The agent's file may have changed since: what answers the guard answers nothing else, and the other way round.
    const isOfGuard = ({ request }: GivenAnswer) => request.isGuard === true;
    const permission = answers.find(isOfGuard)?.answer;
    if (permission === undefined && run.agent.confirmTools.includes(call.name)) {
      return { kind: "ask", question: confirmation(call.name), args, isGuard: true };
    }
    if (permission !== undefined && !("approved" in permission && permission.approved)) {
      return settled({ content: describeDenial(permission), isError: true });
    }
    if (tool.delegation !== undefined) {
      return { kind: "delegate", delegation: tool.delegation(args) };
    }
    const own = answers.filter((given) => !isOfGuard(given)).map(({ answer }) => answer);
    return { kind: "run", ready: { tool, args, effect, answers: own } };
  } catch (error) {
    if (error instanceof ToolFailure) return refuse(error.message);
    throw error;
  }
}

function confirmation(toolName: string): ToolQuestion {
  return { kind: "confirm", message: `Allow ${toolName}?`, options: null, multi: false };
}

/** What the model reads as the result of a question. */
function answerResult(answer: HumanAnswer): { content: string; isError: boolean } {
  return "expired" in answer
    ? { content: "The user did not answer (timeout)", isError: true }
    : { content: describeAnswer(answer), isError: false };
}

function settled(result: { content: string; isError: boolean }): PreparedCall {
  return { kind: "settled", result: { ...result, effect: "read" } };
}

function refuse(message: string): PreparedCall {
  return settled({ content: `Error: ${message}`, isError: true });
}
