// Runs one call of a custom tool: acquires a process, answers the tool's requests, and converts the end of the call to a
// result for the model.
import type { JsonObject } from "../../../base/json.ts";
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import { nextSlice } from "../../../base/slices.ts";
import { firstOf } from "../../../base/first_of.ts";
import { QuestionRaised } from "../definition/raised.ts";
import { EarlierAnswers } from "../definition/earlier_answers.ts";
import type { HumanAnswer, ToolContext, ToolQuestion } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { CallLog } from "./call_log.ts";
import type { CallFacts, FromHost, ToolRequest, WorkerPermissions } from "./host_messages.ts";
import type { HostPool, HostRequest } from "./host_pool.ts";
import type { HostProcess } from "./host_process.ts";
import { describeRefusal } from "./permission_refusal.ts";
import { type ToolFile, toToolModule } from "./tool_files.ts";

/** The time limit for a process to accept a call, in milliseconds. The process has answered a ping just before. */
const BEGIN_MS = 10_000;
const MAX_STACK_LINES = 8;
const MAX_FAILURE_CHARACTERS = 4_000;

/** A call of a custom tool, with the permissions and the process that it needs. */
export interface ToolCall {
  tool: string;
  file: ToolFile;
  args: JsonObject;
  /** The time limit of the call in milliseconds. It begins when the call has acquired its process. */
  timeoutMs: number;
  surroundings: CallFacts;
  permissions: WorkerPermissions;
  host: HostRequest;
}

/** The reason for the end of a call: its last message, or another event. */
type CallEnd =
  | Extract<FromHost, { type: "done" | "failed" | "ending" }>
  | { type: "gone" | "silent" }
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
  const process = await pool.acquire(call.host, context.signal);
  const log = new CallLog(context);
  process.resetOutput((line) => log.print(line));
  let end: CallEnd;
  try {
    end = await withinTime(
      {
        clock: context.clock,
        ms: call.timeoutMs,
        reason: new ToolFailure(`${call.tool} took longer than ${call.timeoutMs / 1_000} s`),
        signal: context.signal,
      },
      (signal) => converse(process, call, { ...context, signal, log: (text) => log.write(text) }),
    );
  } catch (error) {
    await pool.discard(process);
    throw error;
  }
  switch (end.type) {
    case "done":
      log.finish();
      pool.release(process);
      return end.result;
    case "failed": {
      log.finish();
      pool.release(process);
      const beginning = (text: string) =>
        context.redactor.beginningOf(text, MAX_FAILURE_CHARACTERS);
      log.write(beginning(end.stack), { maxLines: MAX_STACK_LINES });
      const where = end.place === undefined ? "" : `${end.place}: `;
      const message = await describeRefusal(end.message, context.sandbox);
      throw new ToolFailure(beginning(`${where}${message}`));
    }
    case "ending":
      await pool.discard(process);
      throw new ToolFailure(end.message);
    case "aborted":
      pool.abort(process);
      throw end.reason;
    case "question":
      await pool.discard(process);
      throw new QuestionRaised(end.question);
    case "gone": {
      const reason = await process.describeEnd();
      await pool.discard(process);
      throw new ToolFailure(`The tool was stopped before it had a result: ${reason}.`);
    }
    case "silent":
      await pool.discard(process);
      throw new ToolFailure("The tool's process did not accept the call. Try again.");
    default:
      return end satisfies never;
  }
}

/**
 * Sends the call to the process and answers its requests until the call ends. Throws ToolFailure if the tool changes its
 * questions too often.
 */
async function converse(
  process: HostProcess,
  call: ToolCall,
  context: ToolContext,
): Promise<CallEnd> {
  const { signal, clock } = context;
  const { file, host: _host, timeoutMs: _timeout, ...details } = call;
  if (signal.aborted) return { type: "aborted", reason: signal.reason };
  const work = {
    ...details,
    type: "call" as const,
    id: crypto.randomUUID(),
    module: toToolModule(file),
  };
  if (!await process.startWork(work, { clock, withinMs: BEGIN_MS })) {
    return { type: process.hasEnded ? "gone" : "silent" };
  }
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
 * question to ask.
 */
function answerQuestion(
  request: PersonRequest,
  answers: EarlierAnswers,
): Settled | { question: ToolQuestion } {
  const refusal = refuseQuestion(request);
  if (refusal !== undefined) return { error: refusal };
  const found = answers.take(toQuestion(request));
  return "question" in found ? found : settleRequest(request, found.answer);
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

/** A request of a tool that a person answers. */
type PersonRequest = Exclude<ToolRequest, { kind: "path" }>;

/** The reply to a tool's request: a value, or the message of an error that the tool may catch. */
type Settled = { value: unknown } | { error: string };

/** Returns the reason that a question cannot be shown to a person, or undefined. */
function refuseQuestion(request: PersonRequest): string | undefined {
  if (request.message.trim() === "") return "A question to a person needs a text";
  if (request.kind === "choose" && request.options.length === 0) {
    return "A choice needs at least one option";
  }
  return undefined;
}

/** Returns the question to show to a person. */
function toQuestion(request: PersonRequest): ToolQuestion {
  const { kind, message } = request;
  return kind === "choose"
    ? { kind: "choice", message, options: request.options, multi: request.multi }
    : { kind: kind === "ask" ? "input" : "confirm", message, options: null, multi: false };
}

/**
 * Converts a person's answer to the reply for the tool. Throws TypeError if the answer is of another kind than the request.
 */
function settleRequest(request: PersonRequest, answer: HumanAnswer): Settled {
  if ("expired" in answer) {
    return request.kind === "confirm" ? { value: false } : { error: "Nobody answered in time" };
  }
  if (request.kind === "confirm" && "approved" in answer) return { value: answer.approved };
  if (request.kind === "ask" && "text" in answer) return { value: answer.text };
  if (request.kind === "choose" && "selected" in answer) return { value: answer.selected };
  throw new TypeError(`An answer to a question of another kind than ${request.kind} was stored`);
}
