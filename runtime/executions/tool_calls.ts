// Tool calls of one reply: prepare -> settled | ask | run -> finalize. A failure is a result the model reads.
import { parseArguments } from "../tools/arguments.ts";
import { boundResult } from "../tools/result_text.ts";
import type { ActionTool, Effect, ToolQuestion } from "../tools/tool.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import type { JsonObject } from "../json.ts";
import type { PlannedCall } from "./execution_store.ts";
import { describeAnswer, describeDenial, type HumanAnswer } from "./human_request.ts";
import type { Run } from "./run.ts";

const CONCURRENT_CALLS = 8;

interface CallResult {
  content: string;
  isError: boolean;
  effect: Effect;
}

type Prepared =
  | { kind: "settled"; result: CallResult }
  | { kind: "ask"; question: ToolQuestion; args: JsonObject }
  | { kind: "run"; tool: ActionTool; args: JsonObject; effect: Effect };

/** A call that needs a person before it can go on. */
export interface OpenQuestion {
  call: PlannedCall;
  question: ToolQuestion;
  args: JsonObject;
}

/**
 * Gives these calls their results, at most eight at a time; all of them but those that need a person. Returns the first of
 * these, if there are any. Rethrows the signal's reason when stopped.
 */
export async function settleToolCalls(
  run: Run,
  calls: readonly PlannedCall[],
): Promise<OpenQuestion | undefined> {
  const prepared = calls.map((call) => ({ call, step: prepare(run, call) }));
  const queue = prepared.values();
  const work = async () => {
    for (const { call, step } of queue) {
      run.signal.throwIfAborted();
      if (step.kind !== "ask") await settle(run, call, step);
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENT_CALLS, calls.length) }, work);
  // All of them end before the run goes on or ends: none may write into a finished execution.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  for (const { call, step } of prepared) {
    if (step.kind === "ask") return { call, question: step.question, args: step.args };
  }
  return undefined;
}

async function settle(
  run: Run,
  call: PlannedCall,
  step: Exclude<Prepared, { kind: "ask" }>,
): Promise<void> {
  const startedAt = run.clock.now();
  const { content, isError, effect } = run.withoutKeys(
    step.kind === "settled" ? step.result : await perform(run, call, step),
  );
  const durationMs = Math.max(0, run.clock.now() - startedAt);
  const result = { content: boundResult(content), isError, effect, durationMs };
  run.conversation.add(await run.journal.finishCall(call, result));
}

/** Decides what becomes of a call before anything happens. */
function prepare(run: Run, call: PlannedCall): Prepared {
  const tool = run.toolbox.get(call.name);
  if (tool === undefined) {
    return refuse(`Unknown tool "${call.name}". Available: ${run.toolbox.names().join(", ")}`);
  }
  let args: JsonObject;
  try {
    args = tool.check(parseArguments(call.arguments));
  } catch (error) {
    if (error instanceof ToolFailure) return refuse(error.message);
    throw error;
  }
  const answer = run.answers.get(call.position);
  if (tool.question !== undefined) {
    return answer === undefined
      ? { kind: "ask", question: tool.question(args), args }
      : settled(answerResult(answer));
  }
  const effect = tool.effect(args);
  if (run.leftCalls.get(call.position)?.startedAt != null && effect === "unsafe") {
    return refuse(
      "The service stopped while this call was running, so its outcome is unknown. It was not repeated. " +
        "Find out whether it took effect before you do it again.",
    );
  }
  if (run.agent.confirmTools.includes(call.name)) {
    if (answer === undefined) return { kind: "ask", question: confirmation(call.name), args };
    if (!("approved" in answer && answer.approved)) {
      return settled({ content: describeDenial(answer), isError: true });
    }
  }
  return { kind: "run", tool, args, effect };
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

async function perform(
  run: Run,
  call: PlannedCall,
  { tool, args, effect }: Prepared & { kind: "run" },
): Promise<CallResult> {
  await run.journal.startCall(call, effect);
  const limit = new AbortController();
  const timer = new AbortController();
  const signal = AbortSignal.any([run.signal, limit.signal]);
  const timeout = run.clock.sleep(tool.timeoutMs, timer.signal).then(
    () => limit.abort(new ToolFailure(`${call.name} took longer than ${tool.timeoutMs / 1000} s`)),
    () => {/* The call ended in time. */},
  );
  try {
    const content = await untilAborted(signal, () =>
      tool.run(args, {
        signal,
        executionId: run.execution.id,
        toolCallId: call.toolCallId,
        agent: run.agent,
        sandbox: run.sandbox,
        clock: run.clock,
      }));
    return { content, isError: false, effect };
  } catch (error) {
    run.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { content: `Error: ${message}`, isError: true, effect };
  } finally {
    timer.abort();
    await timeout;
  }
}

/** The result of `work`, or the signal's reason as soon as it aborts, whether `work` listens to it or not. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
