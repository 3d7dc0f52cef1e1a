// Where a new execution can take over from a recorded one: behind the opening, and behind each reply whose calls have results.
import type { Frame } from "../events/frame.ts";
import type { PlacedMessage } from "../executions/record/conversation.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import { ConversationGone, NoSuchStep } from "../executions/refusals.ts";

/** The first steps of a run. */
export interface ForkPoint {
  /** How many replies, with the results of their calls; 0: the opening alone. */
  step: number;
  /** Of the run's messages those before this place. */
  end: number;
  /** The entries of its log about them, but for what they cost: that was paid for by the run that they are from. */
  frames: Frame[];
  /** The prompt of then, where it was renewed behind this point: it is stored as it became. */
  prompt?: PlacedMessage;
  /** What a person says there, and whether it stands in the place of what was said. */
  message?: PlacedMessage & { replaces: boolean };
}

/**
 * The point of a step; without one the last at which something can still change: behind everything where something is said
 * there, else before the answer. Throws ConversationGone and NoSuchStep.
 */
export function findForkPoint(
  run: RecordedRun,
  { step, message }: { step?: number; message?: string },
): ForkPoint {
  const { id } = run.execution;
  const openingEnd =
    run.messages.findIndex(({ message: { role }, seeded }) => role === "user" && !seeded) + 1;
  if (openingEnd === 0) throw new ConversationGone(id, "fork");
  const ends = endsOf(run, openingEnd);
  const last = ends.length - 1;
  const wanted = step ?? (message === undefined ? lastOpen(run, ends) : last);
  const end = ends[wanted];
  if (end === undefined) throw new NoSuchStep(id, { step: wanted, last });
  const frames = framesOf(run, wanted);
  const point = { step: wanted, end, frames, ...promptOf(run, frames) };
  if (message === undefined) return point;
  const replaces = wanted === 0;
  const said = { role: "user" as const, content: message };
  return {
    ...point,
    frames: replaces ? frames.filter((frame) => !isUserTurn(frame)) : frames,
    message: { position: replaces ? end - 1 : end, message: said, replaces },
  };
}

/** By step: the place behind it. The results of a reply's calls and what they brought along belong to it. */
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

/** The last step behind which the model is asked: a reply without calls is the answer. */
function lastOpen({ messages }: RecordedRun, ends: readonly number[]): number {
  const replies = messages.filter(({ message, seeded }) => message.role === "assistant" && !seeded);
  for (let step = ends.length - 1; step > 0; step--) {
    const reply = replies[step - 1]?.message;
    if (reply?.role === "assistant" && reply.toolCalls.length > 0) return step;
  }
  return 0;
}

/** Up to the reply that follows, without what was told of the wait for it. */
function framesOf({ frames }: RecordedRun, step: number): Frame[] {
  const isReply = ({ event }: Frame) => event === "ai" || event === "tool_call";
  const replies = frames.flatMap((frame, index) => isReply(frame) ? [index] : []);
  const before = frames.slice(0, replies[step] ?? frames.length)
    .filter(({ event }) => event !== "complete" && event !== "final_answer");
  const end = before.findLastIndex((frame) => !isNotice(frame) && !isOpenQuestion(frame)) + 1;
  return before.slice(0, end).filter((frame) => !isInfo(frame) && !isStats(frame));
}

/** As the log tells it, without its secrets: a prompt that has some is renewed when the fork begins. */
function promptOf(run: RecordedRun, taken: readonly Frame[]): { prompt?: PlacedMessage } {
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
const isNotice = (frame: Frame) => typeOf(frame).kind === "notice";
/** Whose answer would stand behind it. */
const isOpenQuestion = ({ event }: Frame) => event === "interrupt";
const isUserTurn = (frame: Frame) => {
  const { event_type: type, request_id: requestId } = typeOf(frame);
  return type === "human" && requestId === undefined;
};
