// Decides how a tool call is handled, by its arguments, people's answers and the state that an earlier process stored.
import { isGuarded, isGuardedWriter } from "../../agents/guarded_tools.ts";
import type { JsonObject } from "../../../base/json.ts";
import { givenArguments, parseArguments } from "../../tools/definition/arguments.ts";
import type {
  AnsweredQuestion,
  Delegation,
  Tool,
  ToolQuestion,
} from "../../tools/definition/tool.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
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
import { type CallResult, type ReadyCall, UNKNOWN_OUTCOME } from "./perform_call.ts";
import type { Run } from "./run.ts";

/** The way in which a call is handled. */
export type PreparedCall =
  /** The call already has its result. */
  | { kind: "settled"; result: CallResult }
  /** A person must answer a question first. With `isGuard`, the question asks for permission to make the call. */
  | { kind: "ask"; question: ToolQuestion; args: JsonObject; isGuard?: true }
  /** The call is described instead of made, see dry_run.ts. */
  | { kind: "describe"; tool: DescribedTool; args: JsonObject }
  /** The call's tool runs. `given` are the model's arguments without defaults. */
  | { kind: "run"; ready: ReadyCall; given: JsonObject } & Remarked
  /** A child execution gives the result. With `delegation`, the child must be started. */
  | { kind: "delegate"; delegation?: Delegation } & Remarked;

/** The remark of a person's approval, which is appended to the call's result. */
interface Remarked {
  remark?: string;
}

/** The part of a run that is needed to decide about calls. */
export type CallCircumstances =
  & Pick<
    Run,
    "agent" | "toolbox" | "goneTools" | "answers" | "leftCalls" | "delegated"
  >
  & { execution: Pick<Execution, "isDryRun" | "isTrial"> };

/** Decides how a call is handled, without starting it. An invalid call gets the fault as its result. */
export function prepareCall(run: CallCircumstances, call: PlannedCall): PreparedCall {
  const answers = run.answers.get(call.position) ?? [];
  // A permission for the call is not used as an answer to the tool's own question, nor an answer to that question as a
  // permission. The agent's file may have changed since the answer, so that another kind of answer is needed now.
  const isOfGuard = ({ request }: GivenAnswer) => request.isGuard === true;
  const verdict = answers.find(isOfGuard);
  const permission = verdict?.answer;
  const remark = verdict && describeApproval(verdict);
  const remarked: Remarked = remark === undefined ? {} : { remark };
  // A child execution already exists, so its result is used even if the agent's file has changed.
  if (run.delegated.has(call.position)) return { kind: "delegate", ...remarked };
  const tool = run.toolbox.get(call.name);
  if (tool === undefined) {
    const fault = run.goneTools?.has(call.name)
      ? `The MCP server does not offer the tool "${call.name}" any more`
      : `Unknown tool "${call.name}"`;
    return refuse(`${fault}. Available: ${run.toolbox.names().join(", ")}`);
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
    // A call written as text may be quoted from a page, so only reads run without approval.
    const isDoubtful = call.written === true && !isDeclaredRead(tool);
    const approval = tool.delegation === undefined ? tool.approval : undefined;
    const writesFile = tool.delegation === undefined && tool.writesFile?.(args) === true;
    const asks = isDoubtful || isGuarded(run.agent, tool) || approval?.asks(args) === true ||
      writesFile && isGuardedWriter(run.agent, tool);
    const isTriedMemory = run.execution.isTrial && effect !== "read" &&
      tool.delegation === undefined && tool.worksOn === "memory";
    if (isTriedMemory || run.execution.isDryRun && (effect !== "read" || asks)) {
      return { kind: "describe", tool, args };
    }
    const own = answers.filter((given) => !isOfGuard(given)).map(toAnsweredQuestion);
    const interruptedAt = run.leftCalls.get(call.position)?.startedAt;
    if (interruptedAt != null && effect === "unsafe") {
      if (tool.delegation === undefined && tool.findOutcome !== undefined) {
        const ready = { tool, args, effect, answers: own, interruptedAt };
        return { kind: "run", ready, given, ...remarked };
      }
      return refuse(UNKNOWN_OUTCOME + (edited === undefined ? "" : `\n${remark}`));
    }
    if (permission === undefined && asks) {
      return {
        kind: "ask",
        question: confirmation(approval?.question(args) ?? `Allow ${call.name}?`, isDoubtful),
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
    return { kind: "run", ready: { tool, args, effect, answers: own }, given, ...remarked };
  } catch (error) {
    if (error instanceof ToolFailure) return refuse(error.message);
    throw error;
  }
}

/** Converts an answer and its question to the form that tools get. */
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

function confirmation(question: string, isWritten: boolean): ToolQuestion {
  const why = isWritten ? " The model wrote this call as text, perhaps quoting something" : "";
  return { kind: "confirm", message: `${question}${why}`, options: null, multi: false };
}

/** Returns the result of a question for the model. */
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
