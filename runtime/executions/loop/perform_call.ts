// One call of a tool that does something: its intent is stored, then it runs, within its time and the run's signal.
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { modelChain } from "../../config/providers.ts";
import { acceptsMedia } from "../../models/adaptation/accepted_media.ts";
import type { Media } from "../../tool_vocabulary.ts";
import { QuestionRaised } from "../../tools/question_raised.ts";
import type { DescribedCall } from "../../tools/call_preview.ts";
import type { ActionTool, AnsweredQuestion, Effect, ShownMedia } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool_failure.ts";
import type { PlannedCall } from "../record/conversation.ts";
import type { Run } from "../runs/run.ts";

const loadReadMedia = lazyModule(() => import("../../models/adaptation/read_media.ts"));

/** Pictures and PDF files of one result. */
const MOST_MEDIA = 8;

/** A call that may begin. */
export interface ReadyCall {
  tool: ActionTool;
  args: JsonObject;
  effect: Effect;
  /** What this call asked by itself, and what was answered. */
  answers: readonly AnsweredQuestion[];
}

/** What became of a call. */
export interface CallResult {
  content: string;
  isError: boolean;
  effect: Effect;
  /** What was described instead of being done. */
  described?: DescribedCall[];
  /** What enters the conversation with it. */
  instructions?: string;
  media?: readonly Media[];
}

/**
 * Runs the call. What the tool throws is its result, but for a question: that is returned, once the intent is taken back.
 * Rejects with the signal's reason when the run is stopped, and when the store fails.
 */
export async function performCall(
  run: Run,
  call: PlannedCall,
  { tool, args, effect, answers }: ReadyCall,
): Promise<CallResult | QuestionRaised> {
  await run.journal.startCall(call, effect);
  run.signal.throwIfAborted();
  const limit = {
    clock: run.clock,
    ms: tool.timeoutMs,
    reason: new ToolFailure(`${call.name} took longer than ${tool.timeoutMs / 1_000} s`),
    signal: run.signal,
  };
  const media: Media[] = [];
  // A tool need not listen to its signal: what it does after its time is nobody's business any more.
  const work = (signal: AbortSignal) =>
    untilAborted(
      tool.run(args, {
        signal,
        executionId: run.execution.id,
        toolCallId: call.toolCallId,
        agent: run.agent,
        sandbox: run.sandbox,
        clock: run.clock,
        answers,
        redactor: run.redactor,
        log: (message) => run.note(`${call.name}: ${message}`),
        show: (bytes) => show(run, bytes, { media, signal }),
      }),
      signal,
    );
  try {
    const result = await withinTime(limit, work);
    return typeof result === "string"
      ? { content: result, isError: false, effect, ...(media.length > 0 && { media }) }
      : { ...result, isError: false, effect };
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof QuestionRaised)) return toFailedResult(error, effect);
    await run.journal.resetCall(call);
    return error;
  }
}

/** See ToolContext. */
async function show(
  run: Run,
  bytes: Uint8Array,
  { media, signal }: { media: Media[]; signal: AbortSignal },
): Promise<ShownMedia | undefined> {
  const { readMedia } = await loadReadMedia();
  const read = readMedia(bytes);
  if (read === undefined) return undefined;
  const isTaken = media.length < MOST_MEDIA &&
    modelChain(run.agent.model).some((one) => acceptsMedia(one, read.kind));
  if (run.readPdf && read.kind === "pdf" && !(isTaken && read.media)) {
    return await run.readPdf(bytes, { signal, clock: run.clock, redactor: run.redactor });
  }
  if (!isTaken) return undefined;
  if (read.media !== undefined) media.push(read.media);
  return { text: read.text };
}

/** What the model reads of a call that went wrong. */
export function toFailedResult(error: unknown, effect: Effect): CallResult {
  const message = error instanceof Error ? error.message : String(error);
  return { content: `Error: ${message}`, isError: true, effect };
}
