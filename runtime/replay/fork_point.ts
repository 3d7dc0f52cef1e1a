// Finds the points at which a fork can continue a recorded run: after the opening, and after each reply with complete
// results.
import type { Frame } from "../events/frame.ts";
import type { CopiedSteps } from "../executions/record/acceptance_store.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import { ConversationGone, NoSuchStep } from "../executions/refusals.ts";

/** The steps of a run that a fork copies. */
type ForkPoint = CopiedSteps & {
  /** The number of copied replies with the results of their calls. 0 copies only the opening. */
  step: number;
  /** The log entries of the copied steps, without the cost, which belongs to the original run. */
  frames: Frame[];
};

/**
 * Returns the fork point of a step. Without a step, returns the last point if a message is given, and otherwise the last
 * point before a model call. Throws ConversationGone and NoSuchStep.
 */
export function findForkPoint(
  run: RecordedRun,
  { step, message }: { step?: number; message?: string },
): ForkPoint {
  const { id } = run.execution;
  const openingEnd =
    run.messages.findIndex(({ message: { role }, seeded }) => role === "user" && !seeded) + 1;
  const isOpened = run.messages[0]?.message.role === "system";
  if (openingEnd === 0 || !isOpened) throw new ConversationGone(id, "fork");
  const ends = endsOf(run, openingEnd);
  const last = ends.length - 1;
  const wanted = step ?? (message === undefined ? lastOpen(run, ends) : last);
  const end = ends[wanted];
  if (end === undefined) throw new NoSuchStep(id, { step: wanted, last });
  const frames = framesOf(run, wanted);
  const count = run.messages.filter(({ position }) => position < end).length;
  const point = { executionId: id, step: wanted, end, count, frames, ...promptOf(run, frames) };
  if (message === undefined) return point;
  const replaces = wanted === 0;
  const said = { role: "user" as const, content: message };
  return {
    ...point,
    frames: replaces ? frames.filter((frame) => !isUserTurn(frame)) : frames,
    message: { position: replaces ? end - 1 : end, message: said, replaces },
  };
}

/** Returns the positions after the steps. A step includes the results of its calls and their instructions. */
function endsOf({ messages }: RecordedRun, openingEnd: number): number[] {
  const opening = messages[openingEnd - 1];
  const ends = [(opening?.position ?? 0) + 1];
  const places = new Set(messages.map(({ position }) => position));
  for (const { position, message, seeded } of messages) {
    if (message.role !== "assistant" || seeded) continue;
    const results = message.toolCalls.map((_, index) => position + 1 + index);
    if (!results.every((place) => places.has(place))) break;
    const next = messages.find((one) =>
      one.position > position && (one.message.role === "assistant" ||
        one.message.role === "user" && !one.message.injected)
    );
    ends.push(next?.position ?? (messages.at(-1)?.position ?? 0) + 1);
  }
  return ends;
}

/** Returns the last step before a model call. The answer is a reply without calls, so no model call follows it. */
function lastOpen({ messages }: RecordedRun, ends: readonly number[]): number {
  const replies = messages.filter(({ message, seeded }) => message.role === "assistant" && !seeded);
  for (let step = ends.length - 1; step > 0; step--) {
    const reply = replies[step - 1]?.message;
    if (reply?.role === "assistant" && reply.toolCalls.length > 0) return step;
  }
  return 0;
}

/** Returns the frames up to the next reply, without its reasoning and notices about the wait for it. */
function framesOf({ frames }: RecordedRun, step: number): Frame[] {
  const isReply = ({ event }: Frame) => event === "ai" || event === "tool_call";
  const replies = frames.flatMap((frame, index) => isReply(frame) ? [index] : []);
  const before = frames.slice(0, replies[step] ?? frames.length)
    .filter(({ event }) => event !== "complete" && event !== "final_answer");
  const end = before.findLastIndex((frame) => !isAhead(frame) && !isOpenQuestion(frame)) + 1;
  return before.slice(0, end).filter((frame) => !isInfo(frame) && !isStats(frame));
}

/** Returns the prompt from the log, which is redacted. A prompt with secrets is created again at the fork's start. */
function promptOf(run: RecordedRun, taken: readonly Frame[]): Pick<CopiedSteps, "prompt"> {
  const stored = run.messages.find(({ message: { role }, seeded }) => role === "system" && !seeded);
  const [told, newest] = [taken, run.frames].map((frames) => frames.findLast(isPrompt));
  if (stored === undefined || told === undefined || newest?.id === told.id) return {};
  const { content, message } = typeOf(told);
  const prompt = { role: "system" as const, content: String(content ?? message) };
  return { prompt: { position: stored.position, message: prompt } };
}

const typeOf = ({ payload }: Frame) => JSON.parse(payload);
const isPrompt = (frame: Frame) => typeOf(frame).event_type === "system";
const isInfo = (frame: Frame) => typeOf(frame).event_type === "execution_info";
const isStats = (frame: Frame) => typeOf(frame).event_type === "stats";
/** Returns true for a frame about the next reply. */
const isAhead = (frame: Frame) => ["notice", "reasoning"].includes(typeOf(frame).kind);
/** Returns true for a question's frame. At the end of the copied frames, such a frame has no answer and is left out. */
const isOpenQuestion = ({ event }: Frame) => event === "interrupt";
const isUserTurn = (frame: Frame) => {
  const { event_type: type, request_id: requestId } = typeOf(frame);
  return type === "human" && requestId === undefined;
};
