// Tool calls of one reply: prepare -> settled | ask | run | delegate -> finalize. A failure is a result the model reads.
import type { JsonObject } from "../json.ts";
import { parseArguments } from "../tools/arguments.ts";
import { QuestionRaised } from "../tools/question_raised.ts";
import { boundResult } from "../tools/result_text.ts";
import type { Delegation, ToolQuestion } from "../tools/tool.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import type { PlannedCall } from "./conversation.ts";
import {
  describeAnswer,
  describeDenial,
  type GivenAnswer,
  type HumanAnswer,
} from "./human_request.ts";
import { type CallResult, performCall, type ReadyCall, toFailedResult } from "./perform_call.ts";
import type { Run } from "./run.ts";

const CONCURRENT_CALLS = 8;

type Asking = { kind: "ask"; question: ToolQuestion; args: JsonObject; isGuard?: true };

type Prepared =
  | { kind: "settled"; result: CallResult }
  | Asking
  | { kind: "run"; ready: ReadyCall }
  | { kind: "delegate"; delegation?: Delegation };

/** A call that needs a person before it can go on. */
export interface OpenQuestion {
  call: PlannedCall;
  question: ToolQuestion;
  args: JsonObject;
  /** Set where it is asked whether the call may run at all. */
  isGuard?: true;
}

/** A call that waits for another execution, which waits for a person. */
export interface WaitingChild {
  childId: number;
}

/**
 * Gives these calls their results, at most eight at a time; all of them but those that need a person. Returns the first of
 * these, if there are any. Rethrows the signal's reason when stopped.
 */
export async function settleToolCalls(
  run: Run,
  calls: readonly PlannedCall[],
): Promise<OpenQuestion | WaitingChild | undefined> {
  const steps = calls.map((call) => ({ call, step: prepare(run, call) }));
  const pauses = new Map<PlannedCall, OpenQuestion | WaitingChild>();
  const queue = steps.values();
  const work = async () => {
    for (const { call, step } of queue) {
      run.signal.throwIfAborted();
      const pause = await settle(run, call, step);
      if (pause !== undefined) pauses.set(call, pause);
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENT_CALLS, calls.length) }, work);
  // All of them end before the run goes on or ends: none may write into a finished execution.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  const inOrder = calls.flatMap((call) => pauses.get(call) ?? []);
  // Questions of its own first: what another execution asks can be answered meanwhile.
  return inOrder.find((pause) => "question" in pause) ?? inOrder[0];
}

/** Takes a call to its result, or returns what it waits for. */
async function settle(
  run: Run,
  call: PlannedCall,
  step: Prepared,
): Promise<OpenQuestion | WaitingChild | undefined> {
  if (step.kind === "ask") {
    const { kind: _kind, ...asked } = step;
    return { call, ...asked };
  }
  const startedAt = run.clock.now();
  // What is settled already is no work: the tool does nothing, if there is one of that name at all.
  const done = step.kind === "settled" ? step.result : await run.telemetry.toolCall(
    { execution: run.execution, call },
    () => perform(run, call, step),
  );
  if (!("content" in done)) return done;
  const { content, isError, effect, instructions } = run.withoutKeys(done);
  const durationMs = Math.max(0, run.clock.now() - startedAt);
  const messages = await run.journal.finishCall(call, {
    content: boundResult(content),
    isError,
    effect,
    durationMs,
    ...(instructions !== undefined && {
      instructions: { position: run.conversation.instructionsPosition(call), text: instructions },
    }),
  });
  for (const message of messages) run.conversation.add(message);
  return undefined;
}

async function perform(
  run: Run,
  call: PlannedCall,
  step: Exclude<Prepared, Asking | { kind: "settled" }>,
): Promise<CallResult | OpenQuestion | WaitingChild> {
  switch (step.kind) {
    case "run": {
      const result = await performCall(run, call, step.ready);
      if (!(result instanceof QuestionRaised)) return result;
      return { call, question: result.question, args: step.ready.args };
    }
    case "delegate":
      return await delegate(run, call, step.delegation);
    default:
      return step satisfies never;
  }
}

async function delegate(
  run: Run,
  call: PlannedCall,
  delegation: Delegation | undefined,
): Promise<CallResult | WaitingChild> {
  try {
    const end = await run.delegate(call, delegation);
    if (end.state === "waiting") return { childId: end.childId };
    return { content: end.content, isError: false, effect: "unsafe" };
  } catch (error) {
    if (error instanceof ToolFailure) return toFailedResult(error, "read");
    throw error;
  }
}

/** Decides what becomes of a call before anything happens. */
function prepare(run: Run, call: PlannedCall): Prepared {
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

function settled(result: { content: string; isError: boolean }): Prepared {
  return { kind: "settled", result: { ...result, effect: "read" } };
}

function refuse(message: string): Prepared {
  return settled({ content: `Error: ${message}`, isError: true });
}
