// Runs one tool call: stores its intent, then runs the tool within its time limit and the run's signal.
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import type { JsonObject } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { modelChain } from "../../config/providers.ts";
import { acceptsMedia } from "../../models/adaptation/accepted_media.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";
import { QuestionRaised, RestRaised } from "../../tools/definition/raised.ts";
import type { DescribedCall } from "../record/call_preview.ts";
import type {
  ActionTool,
  AnsweredQuestion,
  Effect,
  ShownMedia,
  ToolContext,
} from "../../tools/definition/tool.ts";
import { SignInRequired } from "../../tools/failures/sign_in_required.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { PlannedCall } from "../record/conversation.ts";
import { previewChange } from "./preview_change.ts";
import type { Run } from "./run.ts";

const loadReadMedia = lazyModule(() => import("../../models/adaptation/read_media.ts"));

/** The maximum number of pictures and PDF files of one result. */
const MOST_MEDIA = 8;

/** A checked tool call that may start. */
export interface ReadyCall {
  tool: ActionTool;
  args: JsonObject;
  effect: Effect;
  /** The questions that the tool asked in this call, with their answers. */
  answers: readonly AnsweredQuestion[];
  /** The time of the start if a crash interrupted the call. The call is then not repeated, and its outcome is read. */
  interruptedAt?: number;
}

/** The result of an unsafe call that a crash interrupted. */
export const UNKNOWN_OUTCOME =
  "The service stopped while this call was running, so its outcome is unknown. It was not repeated. " +
  "Find out whether it took effect before you do it again.";

/** The result of a call. */
export interface CallResult {
  content: string;
  isError: boolean;
  effect: Effect;
  /** The calls that a dry run described instead of making them, or the change that this call made. */
  described?: DescribedCall[];
  /** The instructions that the result adds to the conversation. */
  instructions?: string;
  media?: readonly Media[];
}

/**
 * Runs a call and returns its result. An error of the tool becomes a result. If the tool asks a question or requests a rest,
 * removes the stored intent and returns the question or the rest. Rejects with the signal's reason if the run is stopped,
 * and with the store's error if the store fails.
 */
export async function performCall(
  run: Run,
  call: PlannedCall,
  { tool, args, effect, answers, interruptedAt }: ReadyCall,
): Promise<CallResult | QuestionRaised | RestRaised | SignInRequired> {
  const startedAt = interruptedAt ?? await run.journal.startCall(call, effect);
  run.signal.throwIfAborted();
  const limit = {
    clock: run.clock,
    ms: tool.timeoutMs,
    reason: () => new ToolFailure(`${call.name} took longer than ${tool.timeoutMs / 1_000} s`),
    signal: run.signal,
  };
  const media: Media[] = [];
  // A tool may ignore its signal. A result after the time limit is discarded.
  const work = (signal: AbortSignal) => {
    const context: ToolContext = {
      signal,
      executionId: run.execution.id,
      depth: run.execution.depth ?? 0,
      toolCallId: call.toolCallId,
      startedAt,
      agent: run.agent,
      sandbox: run.sandbox,
      clock: run.clock,
      timeZone: run.timeZone,
      answers,
      ...restedBefore(run, call),
      redactor: run.redactor,
      log: (message) => run.note(`${call.name}: ${message}`),
      report: (text) => run.journal.notice("info", text),
      show: (bytes) => show(run, bytes, { media, signal }),
    };
    const isNew = interruptedAt === undefined;
    return untilAborted(isNew ? tool.run(args, context) : findOutcome(tool, context), signal);
  };
  try {
    const change = await withinTime(limit, () => changeOf(run, tool, args));
    const result = await withinTime(limit, work);
    return typeof result === "string"
      ? {
        content: result,
        isError: false,
        effect,
        ...(media.length > 0 && { media }),
        ...change,
      }
      : { ...result, isError: false, effect, ...change };
  } catch (error) {
    const isPause = error instanceof QuestionRaised || error instanceof RestRaised ||
      error instanceof SignInRequired;
    run.signal.throwIfAborted();
    if (!isPause) return toFailedResult(error, effect);
    await run.journal.resetCall(call);
    return error;
  }
}

async function findOutcome(tool: ActionTool, context: ToolContext): Promise<string> {
  const result = await tool.findOutcome?.(context);
  if (result === undefined) throw new ToolFailure(UNKNOWN_OUTCOME);
  return result;
}

/** Returns the change that a file tool's call is about to make; undefined for another tool, or if it cannot be shown. */
async function changeOf(
  run: Run,
  tool: ActionTool,
  args: JsonObject,
): Promise<Pick<CallResult, "described"> | undefined> {
  if (tool.preview === undefined || run.execution.isDryRun) return undefined;
  try {
    const change = await previewChange(tool, args, run);
    if (change === undefined || change.preview.diff === "") return undefined;
    const { execution: { id: executionId }, agent: { id: agentId } } = run;
    return { described: [{ executionId, agentId, toolName: tool.name, ...change, isDone: true }] };
  } catch (error) {
    // The call itself reports why it fails.
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** Returns the context's `rested`: the run's last rest, if a call of the last reply has rested. */
function restedBefore(run: Run, { position }: PlannedCall): Pick<ToolContext, "rested"> {
  const { rest } = run.execution;
  if (rest?.position === undefined) return {};
  const reply = run.conversation.lastReply();
  if (reply === undefined || rest.position < reply.position) return {};
  const { since, until, ended } = rest;
  return { rested: { since, until, ...(rest.position === position && ended && { ended }) } };
}

/**
 * Implements ToolContext.show(): adds a picture or PDF file to the call's result, or returns a PDF file's text for a model
 * that cannot read it.
 */
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

/** Returns the result of a failed call for the model. */
export function toFailedResult(error: unknown, effect: Effect): CallResult {
  const message = error instanceof Error ? error.message : String(error);
  return { content: `Error: ${message}`, isError: true, effect };
}
