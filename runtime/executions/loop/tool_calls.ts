// Tool calls of one reply: prepare (prepare_call.ts) -> settled | ask | describe | run | delegate -> finalize. A failure is a result
// the model reads.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { QuestionRaised } from "../../tools/question_raised.ts";
import { limitResult } from "../../tools/result_text.ts";
import type { Delegation, ToolQuestion } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool_failure.ts";
import type { RequestedRaise } from "../budget/budget.ts";
import type { PlannedCall } from "../record/conversation.ts";
import { describeCall } from "./dry_run.ts";
import { type CallResult, performCall, toFailedResult } from "./perform_call.ts";
import { prepareCall, type PreparedCall } from "./prepare_call.ts";
import { ReplyOrder } from "./reply_order.ts";
import type { Run } from "../runs/run.ts";

const CONCURRENT_CALLS = 8;
/** The most that a result shows of what was said when its call was approved. */
const REMARK_CHARACTERS = 10_000;

/** A call that needs a person before it can continue. */
export interface OpenQuestion {
  call: Pick<PlannedCall, "position" | "name">;
  question: ToolQuestion;
  /** As the model gave them, without defaults. */
  args: JsonObject;
  /** Set where it is asked whether the call may run at all. */
  isGuard?: true;
  /** Set where it is no call that needs a person, but a budget. */
  raise?: RequestedRaise;
}

/** A call that waits for another execution, which waits for a person. */
export interface WaitingChild {
  childId: number;
}

/**
 * Gives these calls their results, at most eight at a time, those on the same thing in their order; all of them but those
 * that need a person. Returns the first of these, if there are any. Rethrows the signal's reason when stopped.
 */
export async function settleToolCalls(
  run: Run,
  calls: readonly PlannedCall[],
): Promise<OpenQuestion | WaitingChild | undefined> {
  const order = new ReplyOrder();
  // All turns are taken before the first call begins: what a tool waits for must not decide who comes first.
  const steps = calls.map((call) => {
    const step = prepareCall(run, call);
    return { call, step, turn: order.take(step) };
  });
  const pauses = new Map<PlannedCall, OpenQuestion | WaitingChild>();
  const queue = steps.values();
  const work = async () => {
    for (const { call, step, turn } of queue) {
      try {
        run.signal.throwIfAborted();
        // Not within the call's own time, nor as its beginning: nothing of it happens before its turn.
        if (turn !== undefined) await untilAborted(turn.come, run.signal);
        const pause = await settle(run, call, step);
        if (pause !== undefined) pauses.set(call, pause);
      } finally {
        turn?.end();
      }
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENT_CALLS, calls.length) }, work);
  // All of them end before the run continues or ends: none may write into a finished execution.
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
  step: PreparedCall,
): Promise<OpenQuestion | WaitingChild | undefined> {
  if (step.kind === "ask") {
    const { kind: _kind, ...asked } = step;
    return { call, ...asked };
  }
  const startedAt = run.clock.now();
  // What is settled already is no work: the tool does nothing, if there is one of that name at all.
  const done = step.kind === "settled"
    ? step.result
    : step.kind === "describe"
    ? await describeCall(run, step)
    : await run.telemetry.toolCall(
      { execution: run.execution, call },
      () => perform(run, call, step),
    );
  if (!("content" in done)) return done;
  // Nothing in a picture can be recognized, and to search in it takes long.
  const { media, ...told } = done;
  const { content, isError, effect, instructions, described } = run.withoutKeys(told);
  const durationMs = Math.max(0, run.clock.now() - startedAt);
  const messages = await run.journal.finishCall(call, {
    content: limitResult(content, run.redactor, {
      ...remarkBehind(step, run),
      ...(step.kind === "run" && { maxBytes: step.ready.tool.maxResultBytes }),
    }),
    isError,
    effect,
    durationMs,
    ...(media && { media }),
    ...(described && { described }),
    ...(instructions !== undefined && {
      instructions: { position: run.conversation.instructionsPosition(call), text: instructions },
    }),
  });
  for (const message of messages) run.conversation.add(message);
  return undefined;
}

/** What a person said when the call was approved, as the end of its result. */
function remarkBehind(step: PreparedCall, run: Run): { behind?: string } {
  const remark = "remark" in step ? run.withoutKeys(step.remark) : undefined;
  if (remark === undefined) return {};
  const shown = run.redactor.beginningOf(remark, REMARK_CHARACTERS);
  return { behind: `\n${shown}${shown === remark ? "" : " [cut here]"}` };
}

async function perform(
  run: Run,
  call: PlannedCall,
  step: Extract<PreparedCall, { kind: "run" | "delegate" }>,
): Promise<CallResult | OpenQuestion | WaitingChild> {
  switch (step.kind) {
    case "run": {
      const result = await performCall(run, call, step.ready);
      if (!(result instanceof QuestionRaised)) return result;
      // It asks before it does something: a dry run need not know whether it may.
      if (run.execution.isDryRun) return await describeCall(run, step.ready);
      return { call, question: result.question, args: step.given };
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
    const { content, described } = end;
    return { content, isError: false, effect: "unsafe", ...(described && { described }) };
  } catch (error) {
    if (error instanceof ToolFailure) return toFailedResult(error, "read");
    throw error;
  }
}
