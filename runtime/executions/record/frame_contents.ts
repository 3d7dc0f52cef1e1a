// Creates the contents of frames. There is one function for each kind of log entry.
import { toRestSentence } from "../../../base/text/rest_words.ts";
import { toRetrySentence } from "../../../base/text/retry_words.ts";
import type { EventType, FrameContent, FrameIdentity } from "../../events/frame.ts";
import { type Message, thoughtOf } from "../../models/message.ts";
import type { ModelReply } from "../../models/model.ts";
import type { CallPreview, DescribedCall } from "./call_preview.ts";
import type { FinishedCall } from "./conversation_store.ts";
import type { Pause } from "./ending_store.ts";
import type { PartialApproval } from "../approvals.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import {
  describeAnswer,
  type GivenResponse,
  type HumanAnswer,
  type HumanRequest,
  requestFields,
} from "../human_request.ts";

/** The warning in the stats frame if the provider did not count the usage of the last reply. */
export const CUT_REPLY =
  "The last reply was cut off: what its provider had not counted by then is estimated";

const END_FRAMES = ["stats", "final_answer", "complete"] as const;

/**
 * The types of the frames that a transition may write, by the new state. Sorted in the order in which they are written. The
 * transitions are in states.ts.
 */
export const TRANSITION_FRAMES: Readonly<Record<ExecutionStatus, readonly EventType[]>> = {
  running: ["human"],
  waiting: ["interrupt"],
  success: END_FRAMES,
  error: END_FRAMES,
  aborted: END_FRAMES,
  timeout: END_FRAMES,
  orphaned: END_FRAMES,
};

/** Returns `frames` unchanged. Throws TypeError if a transition to the state `next` must not write one of the frames. */
export function checkTransition(
  next: ExecutionStatus,
  frames: readonly FrameContent[],
): readonly FrameContent[] {
  const wrong = frames.find(({ eventType }) => !TRANSITION_FRAMES[next].includes(eventType));
  if (wrong === undefined) return frames;
  throw new TypeError(`A transition to "${next}" writes no frame "${wrong.eventType}"`);
}

/** Returns the fields that identify an execution in each of its frames. */
export function identityOf({ id, agentId, displayName }: Execution): FrameIdentity {
  return { executionId: id, agentId, displayName };
}

/** Returns the first frame of a log: the data of an execution at its acceptance. */
export function toInfoFrame(execution: Execution): FrameContent {
  const { displayName, model, trigger, args, sessionId, isDryRun, isTrial } = execution;
  return {
    event: "meta",
    eventType: "execution_info",
    message: `${displayName} · ${model || "no model"} · ${trigger}${isTrial ? " · trial" : ""}${
      isDryRun ? " · dry run" : ""
    }`,
    fields: { model, trigger, args, session_id: sessionId, ...(isDryRun && { dry_run: true }) },
  };
}

/** Returns the frame of the system prompt or the user turn. */
export function toOpeningFrame(message: Message): FrameContent {
  return {
    event: "message",
    eventType: message.role === "system" ? "system" : "human",
    message: message.content,
    fields: { role: message.role, content: message.content },
  };
}

/** Returns the frames of a model reply: the reasoning that it begins with, its calls or its text, and the usage so far. */
export function toReplyFrames(
  { message }: ModelReply,
  figures: Execution,
  { warning }: { warning?: string },
): FrameContent[] {
  const reasoning = thoughtOf(message);
  return [
    ...(reasoning === undefined ? [] : [toReasoningFrame(reasoning)]),
    toReplyFrame(message),
    toStatsFrame(figures, warning),
  ];
}

function toReplyFrame(message: ModelReply["message"]): FrameContent {
  const { content, toolCalls } = message;
  if (toolCalls.length === 0) {
    return { event: "ai", eventType: "ai", message: content, fields: { content } };
  }
  return {
    event: "tool_call",
    eventType: "tool_call",
    message: toolCalls.map(({ name, arguments: args }) => `${name} — args: ${args}`).join("\n"),
    fields: {
      content,
      tools: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, args })),
    },
  };
}

function toReasoningFrame(content: string): FrameContent {
  return toMetaFrame(content, { kind: "reasoning", content });
}

function toMetaFrame(message: string, fields: FrameContent["fields"] & object): FrameContent {
  return { event: "meta", eventType: "meta", message, fields };
}

/** Returns the frame of the execution's usage so far. */
export function toStatsFrame(figures: Execution, warning?: string): FrameContent {
  const { inputTokens, outputTokens, totalTokens, costUsd } = figures;
  const cost = costUsd === null ? "" : `, $${costUsd.toFixed(4)}`;
  return {
    event: "meta",
    eventType: "stats",
    message:
      (totalTokens === null
        ? "No token counts reported"
        : `${totalTokens} tokens (${inputTokens} in, ${outputTokens} out)${cost}`) +
      (warning === undefined ? "" : `. ${warning}`),
    fields: {
      ...(warning !== undefined && { warning }),
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens ?? 0,
      cost_usd: costUsd,
    },
  };
}

/** Returns the frame of a call's result. */
export function toResultFrame(call: FinishedCall): FrameContent {
  const { content, isError, durationMs } = call.result;
  return {
    event: "tool_result",
    eventType: "tool_result",
    message: `${call.name} — ${content}`,
    fields: {
      tool_call_id: call.toolCallId,
      tool_name: call.name,
      content,
      is_error: isError,
      duration_ms: durationMs,
      ...(call.described && toDescription(call.described)),
    },
  };
}

/** Returns the calls that a dry run described, or the change that the call made. */
function toDescription(described: readonly DescribedCall[]): Record<string, unknown> {
  const [made] = described;
  return made?.isDone
    ? { change: toPreviewFields(made.preview) }
    : { would_do: described.map(toDescribedFields) };
}

function toDescribedFields({ preview, ...call }: DescribedCall): Record<string, unknown> {
  return {
    execution_id: call.executionId,
    agent_id: call.agentId,
    tool_name: call.toolName,
    summary: call.summary,
    preview: toPreviewFields(preview),
  };
}

function toPreviewFields(preview: CallPreview | null): Record<string, unknown> | null {
  return preview && {
    path: preview.path,
    diff: preview.diff,
    added: preview.added,
    removed: preview.removed,
    is_new_file: preview.isNewFile,
    problem: preview.problem,
  };
}

/** Returns the frame of instructions that a tool's result added to the conversation. */
export function toInstructionsFrame(content: string): FrameContent {
  return toMetaFrame(content, { content });
}

/** Returns the frame of the request to repair an answer: the text for the model, and the faults. */
export function toRepairFrame(content: string, faults: readonly string[]): FrameContent {
  const message = `The answer does not fit output.schema, it is asked for once more: ${faults[0]}`;
  return toMetaFrame(message, { kind: "repair", content, faults: [...faults] });
}

/**
 * Returns the frame of a notice about a wait or a retry. The model does not read notices. With `pauses`, the execution does
 * nothing until its next frame.
 */
export function toNoticeFrame(
  level: "info" | "warn",
  content: string,
  more: { pauses?: true } = {},
): FrameContent {
  return toMetaFrame(content, { kind: "notice", level, content, ...more });
}

/** Returns the frames of a pause: a planned or started retry, another rest, or none. */
export function toPauseFrames({ rest, retry }: Pick<Pause, "rest" | "retry">): FrameContent[] {
  if (retry?.isUnderWay) return [toNoticeFrame("info", `Try ${retry.attempt} of ${retry.of}`)];
  if (retry !== undefined) return [toNoticeFrame("warn", toRetrySentence(retry), { pauses: true })];
  return rest === undefined ? [] : [toNoticeFrame("info", toRestSentence(rest), { pauses: true })];
}

/**
 * Returns the frame of an execution's end. With `isEstimated`, part of the figures is estimated because the last reply was
 * cut off.
 */
export function toCompleteFrame(figures: Execution, isEstimated: boolean): FrameContent {
  return {
    event: "complete",
    eventType: "complete",
    message: figures.error === null ? figures.status : `${figures.status}: ${figures.error}`,
    fields: {
      status: figures.status,
      duration_ms: figures.durationMs,
      total_tokens: figures.totalTokens,
      cost_usd: figures.costUsd,
      ...(isEstimated && { usage_estimated: true }),
      error: figures.error,
    },
  };
}

/** Returns the frame of a question to a person. */
export function toInterruptFrame(request: HumanRequest): FrameContent {
  return {
    event: "interrupt",
    eventType: "interrupt",
    message: request.message,
    fields: requestFields(request),
  };
}

/** Returns the frame of a person's answer, with its question, channel and sender. */
export function toAnswerFrame(
  { requestId, by }: Pick<GivenResponse, "requestId" | "by">,
  answer: HumanAnswer,
): FrameContent {
  const content = describeAnswer(answer);
  const place = "expired" in answer ? "nobody" : by?.via;
  return {
    event: "message",
    eventType: "human",
    message: content,
    fields: {
      role: "user",
      content,
      request_id: requestId,
      ...(place && { answered_via: place }),
      ...(by?.name !== undefined && { answered_by: by.name }),
      ...("approved" in answer && answer.arguments && { arguments: answer.arguments }),
    },
  };
}

/**
 * Returns the frames of an approval after which other people must approve: a notice, or the answer and the new question if
 * the arguments are others.
 */
export function toApprovalFrames(
  asked: Pick<GivenResponse, "requestId" | "by">,
  answer: HumanAnswer,
  { approvals, needed, request }: PartialApproval,
): FrameContent[] {
  const text = `${approvals} of ${needed} approvals, by ${request.approvedBy?.join(", ")}`;
  if (request.requestId === asked.requestId) return [toNoticeFrame("info", text)];
  return [toAnswerFrame(asked, answer), toNoticeFrame("info", text), toInterruptFrame(request)];
}

/** Returns the frame of the final answer. */
export function toFinalAnswerFrame(output: string): FrameContent {
  return {
    event: "final_answer",
    eventType: "final_answer",
    message: output,
    fields: { content: output },
  };
}
