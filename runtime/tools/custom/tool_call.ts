// Runs one call of a custom tool: acquires a process, answers the tool's requests, and converts the end of the call to a
// result for the model.
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import { nextSlice } from "../../../base/slices.ts";
import { firstOf } from "../../../base/first_of.ts";
import { QuestionRaised } from "../definition/raised.ts";
import { EarlierAnswers } from "../definition/earlier_answers.ts";
import type { ToolContext, ToolQuestion } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { CallLog } from "./call_log.ts";
import type { FromHost, ToolRequest } from "./host_messages.ts";
import type { PrintedLine } from "./host_output.ts";
import type { HostPool } from "./host_pool.ts";
import type { HostProcess } from "./host_process.ts";
import { describeRefusal } from "./permission_refusal.ts";

const MAX_STACK_LINES = 8;
const MAX_FAILURE_CHARACTERS = 4_000;

/** A call of a custom tool. */
export interface ToolCall {
  tool: string;
  /** The time limit of the call in milliseconds. It begins when the call has acquired its process. */
  timeoutMs: number;
  /** Starts the process that performs the call. `onLine` is called for each line that the tool prints. */
  start(onLine: (line: PrintedLine) => void): Promise<HostProcess>;
}

/** The reason for the end of a call: its last message, or another event. */
type CallEnd =
  | Extract<FromHost, { type: "done" | "failed" | "ending" }>
  | { type: "gone" }
  | { type: "aborted"; reason: unknown }
  | { type: "question"; question: ToolQuestion };

/**
 * Runs a call and returns its result. The time limit begins after the wait for a process, because other calls cause that
 * wait. Throws ToolFailure, QuestionRaised to ask a person, and the signal's reason on abort. The tool is stopped in each
 * case, at most a second after an abort.
 */
export async function runToolCall(
  call: ToolCall,
  context: ToolContext,
  pool: HostPool,
): Promise<string> {
  const log = new CallLog(context);
  const start = () => call.start((line) => log.print(line));
  const owner = `execution ${context.executionId}`;
  const process = await pool.acquire(owner, start, context.signal);
  let end: CallEnd;
  try {
    end = await withinTime(
      {
        clock: context.clock,
        ms: call.timeoutMs,
        reason: new ToolFailure(`${call.tool} took longer than ${call.timeoutMs / 1_000} s`),
        signal: context.signal,
      },
      (signal) => converse(process, { ...context, signal, log: (text) => log.write(text) }),
    );
  } catch (error) {
    await pool.discard(process);
    throw error;
  }
  // After a question the tool must not continue: its code would see an error instead of the answer.
  if (end.type === "question") await pool.discard(process);
  else pool.release(process);
  switch (end.type) {
    case "done":
      log.finish();
      return end.result;
    case "failed": {
      log.finish();
      const beginning = (text: string) =>
        context.redactor.beginningOf(text, MAX_FAILURE_CHARACTERS);
      log.write(beginning(end.stack), { maxLines: MAX_STACK_LINES });
      const where = end.place === undefined ? "" : `${end.place}: `;
      const message = await describeRefusal(end.message, context.sandbox);
      throw new ToolFailure(beginning(`${where}${message}`));
    }
    case "ending":
      throw new ToolFailure(end.message);
    case "aborted":
      throw end.reason;
    case "question":
      throw new QuestionRaised(end.question);
    case "gone": {
      const reason = await process.describeEnd();
      throw new ToolFailure(`The tool was stopped before it had a result: ${reason}.`);
    }
    default:
      return end satisfies never;
  }
}

/** Answers the requests of a call until it ends. Throws ToolFailure if the tool changes its questions too often. */
async function converse(process: HostProcess, context: ToolContext): Promise<CallEnd> {
  const { signal } = context;
  const answers = new EarlierAnswers(context.answers);
  for (;;) {
    const first = await firstOf(process.next(), { signal });
    if (first.kind !== "done") return { type: "aborted", reason: signal.reason };
    const message = first.value;
    if (message === undefined) return { type: "gone" };
    if (message.type === "done" || message.type === "failed" || message.type === "ending") {
      return message;
    }
    if (message.type === "log") context.log(message.text);
    if (message.type !== "request") continue;
    const { id, request } = message;
    // A tool may send thousands of requests with deep paths at once. Each blocks the service's thread for milliseconds, so
    // other work runs in between.
    await nextSlice();
    const settled = request.kind === "path"
      ? await untilAborted(resolvePath(request, context), signal)
      : answerQuestion(request, answers);
    if ("question" in settled) return { type: "question", question: settled.question };
    process.send({ type: "reply", id, ...settled });
  }
}

/**
 * Returns the stored answer to a question, or an error for an invalid question. If no answer is stored, returns the
 * question to ask. Throws TypeError if the stored answer is of another kind than the question.
 */
function answerQuestion(
  question: ToolQuestion,
  answers: EarlierAnswers,
): Settled | { question: ToolQuestion } {
  const { kind, message, options } = question;
  if (message.trim() === "") return { error: "A question to a person needs a text" };
  if (options?.length === 0) return { error: "A choice needs at least one option" };
  const found = answers.take(question);
  if ("question" in found) return found;
  const { answer } = found;
  if ("expired" in answer) {
    return kind === "confirm" ? { value: false } : { error: "Nobody answered in time" };
  }
  if (kind === "confirm" && "approved" in answer) return { value: answer.approved };
  if (kind === "input" && "text" in answer) return { value: answer.text };
  if (kind === "choice" && "selected" in answer) return { value: answer.selected };
  throw new TypeError(`An answer to a question of another kind than ${kind} was stored`);
}

async function resolvePath(
  { text, access }: Extract<ToolRequest, { kind: "path" }>,
  { sandbox }: ToolContext,
): Promise<Settled> {
  try {
    return { value: (await sandbox.resolve(text, access)).path };
  } catch (error) {
    if (error instanceof ToolFailure) return { error: error.message };
    throw error;
  }
}

/** The reply to a tool's request: a value, or the message of an error that the tool may catch. */
type Settled = { value: unknown } | { error: string };
