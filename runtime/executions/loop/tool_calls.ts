// Handles the tool calls of one reply: prepares each call (prepare_call.ts), runs, describes or delegates it, and stores
// its result. A failure is a result that the model reads.
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { type RequestedRest, RestRaised } from "../../tools/definition/raised.ts";
import { limitResult } from "../../tools/definition/result_text.ts";
import type { Delegation, ToolQuestion } from "../../tools/definition/tool.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { SignInRequired } from "../../tools/failures/sign_in_required.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { RequestedRaise } from "../budget.ts";
import type { PlannedCall } from "../record/conversation.ts";
import { describeCall } from "./dry_run.ts";
import { type CallResult, performCall, toFailedResult } from "./perform_call.ts";
import { prepareCall, type PreparedCall } from "./prepare_call.ts";
import { ReplyOrder } from "./reply_order.ts";
import type { Run } from "./run.ts";

const loadSignIn = lazyModule(() => import("./sign_in_question.ts"));

const CONCURRENT_CALLS = 8;
/** The maximum length in characters of an approval's remark in a result. */
const REMARK_CHARACTERS = 10_000;

/** A call that waits for a person's answer. */
export interface OpenQuestion {
  call: Pick<PlannedCall, "position" | "name">;
  question: ToolQuestion;
  /** The model's arguments without defaults. */
  args: JsonObject;
  /** Set if the question asks for permission to make the call. */
  isGuard?: true;
  /** Set if the question is about a budget instead of a call. */
  raise?: RequestedRaise;
}

/** The reason why a run pauses during its calls. */
export type CallPause =
  | OpenQuestion
  /** A child execution rests or waits for a person. */
  | { childId: number }
  /** A call rests. */
  | { rest: RequestedRest & { position: number } };

/**
 * Runs the calls that need no person and stores their results. At most eight calls run at a time; calls on the same
 * resource run in order. Returns the first call that needs a person, or else the call that rests for the shortest time, or
 * else the first one whose child waits or rests. Undefined if all calls have results. Rethrows the signal's reason.
 */
export async function settleToolCalls(
  run: Run,
  calls: readonly PlannedCall[],
): Promise<CallPause | undefined> {
  const order = new ReplyOrder();
  // All turns are reserved before the first call starts, so that the calls keep the order of the reply.
  const steps = calls.map((call) => {
    const step = prepareCall(run, call);
    return { call, step, turn: order.take(step) };
  });
  const pauses = new Map<PlannedCall, CallPause>();
  const queue = steps.values();
  const work = async () => {
    for (const { call, step, turn } of queue) {
      try {
        run.signal.throwIfAborted();
        // The wait for earlier calls does not count toward the call's time limit.
        if (turn !== undefined) await untilAborted(turn.ready, run.signal);
        const pause = await settle(run, call, step);
        if (pause !== undefined) pauses.set(call, pause);
      } finally {
        turn?.end();
      }
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENT_CALLS, calls.length) }, work);
  // The run continues only after all workers have ended, because no worker may write to an execution that has ended.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  const inOrder = calls.flatMap((call) => pauses.get(call) ?? []);
  // The run's own questions come first. A child's question can be answered while the run waits for its own.
  const rests = inOrder.filter((pause) => "rest" in pause)
    .sort((one, other) => one.rest.until - other.rest.until);
  return inOrder.find((pause) => "question" in pause) ?? rests[0] ?? inOrder[0];
}

/** Runs a call and stores its result. Returns the reason if the call pauses, or undefined. */
async function settle(
  run: Run,
  call: PlannedCall,
  step: PreparedCall,
): Promise<CallPause | undefined> {
  if (step.kind === "ask") {
    const { kind: _kind, ...asked } = step;
    return { call, ...asked };
  }
  const startedAt = run.clock.now();
  // A settled call runs no tool, so telemetry does not count the call.
  const done = step.kind === "settled"
    ? step.result
    : step.kind === "describe"
    ? await describeCall(run, step)
    : await run.telemetry.toolCall(
      { execution: run.execution, call },
      () => perform(run, call, step),
    );
  if (!("content" in done)) return done;
  // Pictures are not redacted: no secret can be recognized in them, and the search is slow.
  const { media, ...result } = done;
  const { content, isError, effect, instructions, described } = run.keyRedactor.redactValue(result);
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

/** Returns the text to append to a call's result: the remark of a person's approval. Empty object if there is none. */
function remarkBehind(step: PreparedCall, run: Run): { behind?: string } {
  const remark = "remark" in step ? run.keyRedactor.redactValue(step.remark) : undefined;
  if (remark === undefined) return {};
  const shown = run.redactor.beginningOf(remark, REMARK_CHARACTERS);
  return { behind: `\n${shown}${shown === remark ? "" : " [cut here]"}` };
}

async function perform(
  run: Run,
  call: PlannedCall,
  step: Extract<PreparedCall, { kind: "run" | "delegate" }>,
): Promise<CallResult | CallPause> {
  switch (step.kind) {
    case "run": {
      const result = await performCall(run, call, step.ready);
      if (!(result instanceof Error)) return result;
      // The tool has done nothing, so the dry run describes the call.
      if (run.execution.isDryRun) return await describeCall(run, step.ready);
      if (result instanceof SignInRequired) return await askForSignIn(run, result);
      return result instanceof RestRaised
        ? { rest: { ...result.rest, position: call.position } }
        : { call, question: result.question, args: step.given };
    }
    case "delegate":
      return await delegate(run, call, step.delegation);
    default:
      return step satisfies never;
  }
}

/** Returns the question about a sign-in, or the failed result if a person gave up. */
async function askForSignIn(run: Run, error: SignInRequired): Promise<CallResult | OpenQuestion> {
  const { toSignInQuestion } = await loadSignIn();
  const { conversation: { nextPosition: position }, answers } = run;
  return toSignInQuestion(error, { position, answers }) ?? toFailedResult(error, "read");
}

async function delegate(
  run: Run,
  call: PlannedCall,
  delegation: Delegation | undefined,
): Promise<CallResult | CallPause> {
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
