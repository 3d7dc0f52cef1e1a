// Tool calls of one reply: prepare -> refused | run -> finalize. A failure is a result the model reads.
import { parseArguments } from "../tools/arguments.ts";
import { boundResult } from "../tools/result_text.ts";
import type { Effect, Tool } from "../tools/tool.ts";
import { ToolFailure } from "../tools/tool_failure.ts";
import type { JsonObject } from "../json.ts";
import type { PlannedCall } from "./execution_store.ts";
import type { Run } from "./run.ts";

const CONCURRENT_CALLS = 8;

interface CallResult {
  content: string;
  isError: boolean;
  effect: Effect;
}

type Prepared =
  | { kind: "refused"; result: CallResult }
  | { kind: "run"; tool: Tool; args: JsonObject; effect: Effect };

/** Gives every one of these calls a result, at most eight at a time. Rethrows the signal's reason when stopped. */
export async function settleToolCalls(run: Run, calls: readonly PlannedCall[]): Promise<void> {
  const queue = calls.values();
  const work = async () => {
    for (const call of queue) {
      run.signal.throwIfAborted();
      await settle(run, call);
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENT_CALLS, calls.length) }, work);
  // All of them end before the run goes on or ends: none may write into a finished execution.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function settle(run: Run, call: PlannedCall): Promise<void> {
  const startedAt = run.clock.now();
  const prepared = prepare(run, call);
  const result = prepared.kind === "refused" ? prepared.result : await perform(run, call, prepared);
  const durationMs = Math.max(0, run.clock.now() - startedAt);
  run.conversation.add(await run.journal.finishCall(call, { ...result, durationMs }));
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
  const effect = tool.effect(args);
  const left = run.leftCalls.get(call.position);
  if (left?.startedAt != null && effect === "unsafe") {
    return refuse(
      "The service stopped while this call was running, so its outcome is unknown. It was not repeated. " +
        "Find out whether it took effect before you do it again.",
    );
  }
  if (run.agent.confirmTools.includes(call.name)) {
    return refuse(
      `${call.name} is guarded: it needs a person's approval, which cannot be asked for yet. ` +
        `It runs only where the agent's auto_approve names it.`,
    );
  }
  return { kind: "run", tool, args, effect };
}

function refuse(message: string): Prepared {
  return {
    kind: "refused",
    result: { content: `Error: ${message}`, isError: true, effect: "read" },
  };
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
        executionId: run.executionId,
        toolCallId: call.toolCallId,
        agent: run.agent,
        sandbox: run.sandbox,
        clock: run.clock,
      }));
    return { content: boundResult(content), isError: false, effect };
  } catch (error) {
    run.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { content: boundResult(`Error: ${message}`), isError: true, effect };
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
