// What becomes of a tool call, decided before anything happens: by its arguments, what people answered, and what an earlier
// process left of it.
import { isGuarded } from "../../agents/guarded_tools.ts";
import type { JsonObject } from "../../../base/json.ts";
import { givenArguments, parseArguments } from "../../tools/arguments.ts";
import type { AnsweredQuestion, Delegation, Tool, ToolQuestion } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool_failure.ts";
import type { PlannedCall } from "../record/conversation.ts";
import {
  describeAnswer,
  describeApproval,
  describeDenial,
  type GivenAnswer,
  type HumanAnswer,
} from "../human_request.ts";
import type { Execution } from "../execution.ts";
import type { DescribedTool } from "./dry_run.ts";
import type { CallResult, ReadyCall } from "./perform_call.ts";
import type { Run } from "../runs/run.ts";

/** What becomes of a call. */
export type PreparedCall =
  /** It has its result already. */
  | { kind: "settled"; result: CallResult }
  /** A person is asked first; with `isGuard` whether the call may run at all. */
  | { kind: "ask"; question: ToolQuestion; args: JsonObject; isGuard?: true }
  /** It is described, not made: see dry_run.ts. */
  | { kind: "describe"; tool: DescribedTool; args: JsonObject }
  /** `given`: the arguments that the model gave, without defaults. */
  | { kind: "run"; ready: ReadyCall; given: JsonObject } & Remarked
  /** Another execution works on it, or, with `delegation`, is to begin. */
  | { kind: "delegate"; delegation?: Delegation } & Remarked;

/** `remark`: what was said when the call was approved; it follows the result. */
interface Remarked {
  remark?: string;
}

/** What it is decided by. */
export type CallCircumstances =
  & Pick<
    Run,
    "agent" | "toolbox" | "answers" | "leftCalls" | "delegated"
  >
  & { execution: Pick<Execution, "isDryRun"> };

/** Decides what becomes of a call. Does nothing; what is wrong with the call is its result. */
export function prepareCall(run: CallCircumstances, call: PlannedCall): PreparedCall {
  const answers = run.answers.get(call.position) ?? [];
  // The agent's file may have changed since: what answers the guard answers nothing else, and the other way round.
  const isOfGuard = ({ request }: GivenAnswer) => request.isGuard === true;
  const verdict = answers.find(isOfGuard);
  const permission = verdict?.answer;
  const remark = verdict && describeApproval(verdict);
  const remarked: Remarked = remark === undefined ? {} : { remark };
  // Whatever the agent's file says by now: another execution works on it, and what that does is to be known.
  if (run.delegated.has(call.position)) return { kind: "delegate", ...remarked };
  const tool = run.toolbox.get(call.name);
  if (tool === undefined) {
    return refuse(`Unknown tool "${call.name}". Available: ${run.toolbox.names().join(", ")}`);
  }
  try {
    const edited = permission && "approved" in permission ? permission.arguments : undefined;
    const written = edited ?? parseArguments(call.arguments);
    const args = tool.check(written);
    const given = givenArguments(args, written);
    if (tool.question !== undefined) {
      const [answered] = answers;
      if (answered !== undefined) return settled(answerResult(answered.answer));
      return { kind: "ask", question: tool.question(args), args: given };
    }
    const effect = tool.delegation === undefined ? tool.effect(args) : "read";
    // A page may have been quoted in it: no more than reading goes without a person.
    const isDoubtful = call.written === true && !isDeclaredRead(tool);
    const asks = isDoubtful || isGuarded(run.agent, tool);
    if (run.execution.isDryRun && (effect !== "read" || asks)) {
      return { kind: "describe", tool, args };
    }
    if (run.leftCalls.get(call.position)?.startedAt != null && effect === "unsafe") {
      return refuse(
        "The service stopped while this call was running, so its outcome is unknown. It was not repeated. " +
          "Find out whether it took effect before you do it again." +
          (edited === undefined ? "" : `\n${remark}`),
      );
    }
    if (permission === undefined && asks) {
      return {
        kind: "ask",
        question: confirmation(call.name, isDoubtful),
        args: given,
        isGuard: true,
      };
    }
    if (permission !== undefined && !("approved" in permission && permission.approved)) {
      return settled({ content: describeDenial(permission), isError: true });
    }
    if (tool.delegation !== undefined) {
      return { kind: "delegate", delegation: tool.delegation(args), ...remarked };
    }
    const own = answers.filter((given) => !isOfGuard(given)).map(toAnsweredQuestion);
    return { kind: "run", ready: { tool, args, effect, answers: own }, given, ...remarked };
  } catch (error) {
    if (error instanceof ToolFailure) return refuse(error.message);
    throw error;
  }
}

/** What a tool gets of an answer: that, and what was asked. */
function toAnsweredQuestion({ request, answer }: GivenAnswer): AnsweredQuestion {
  const { kind, message, options, multi, answersBefore } = request;
  const question = {
    kind,
    message,
    options,
    multi,
    ...(answersBefore !== undefined && { answersBefore }),
  };
  return { question, answer };
}

function isDeclaredRead(tool: Tool): boolean {
  return "fixedEffect" in tool && tool.fixedEffect === "read";
}

function confirmation(toolName: string, isWritten: boolean): ToolQuestion {
  const why = isWritten ? " The model wrote this call as text, perhaps quoting something" : "";
  return { kind: "confirm", message: `Allow ${toolName}?${why}`, options: null, multi: false };
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
