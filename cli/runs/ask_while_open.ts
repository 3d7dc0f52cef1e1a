// Asks the question of an execution at the terminal. Closes the prompt when another terminal, the page or the API answers
// the question.
import { describeAnswerPlace } from "../../present/answer_place.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { parseObject } from "../../present/payload.ts";
import { toOneLine } from "../output/sanitize.ts";
import { askPerson } from "../prompting/ask_person.ts";
import type { Answer, Asking } from "../prompting/asking.ts";

/** The interval, in milliseconds, of the checks whether the question is open. */
const CHECK_MS = 1_000;

/** Error: the question was answered in another place, or was closed. The message names the place and the answer. */
export class AnsweredElsewhere extends Error {
  override readonly name = "AnsweredElsewhere";
}

/**
 * Asks the question and sends the answer. Returns false if the user skips the question, or if other people must approve
 * the call, too. Throws AnsweredElsewhere if the
 * question is closed meanwhile, and Interrupted at Ctrl+C.
 */
export async function askWhileOpen(pending: PendingBody, asking: Asking): Promise<boolean> {
  const { signal } = asking;
  const closed = new AbortController();
  const over = new AbortController();
  const watching = watchQuestion(pending, { ...asking, signal: over.signal, closed });
  let answer: Answer | undefined;
  try {
    answer = await askPerson(pending, {
      ...asking,
      signal: AbortSignal.any([signal, closed.signal]),
    });
  } finally {
    over.abort();
    await watching;
  }
  if (answer === undefined) return false;
  return await giveAnswer(pending, answer, asking);
}

/**
 * Sends an answer. Returns false if other people must approve the call, too. Throws AnsweredElsewhere if the question has
 * already been answered.
 */
export async function giveAnswer(
  { execution_id: id, request_id }: PendingBody,
  response: Answer,
  { client, output }: Pick<Asking, "client" | "output">,
): Promise<boolean> {
  try {
    const body = { request_id, response, via: "terminal" as const };
    const { status, approvals, needed } = await client.respond(id, body);
    if (status === "waiting") output.note(`${approvals} of ${needed} approvals`);
    return status !== "waiting";
  } catch (error) {
    // The service may also refuse the answer to an open question, for example if it cannot read the agent's file.
    if (!isClosed(error) || await isOpen(client, { id, requestId: request_id })) throw error;
    throw new AnsweredElsewhere(await describeEnd(client, { id, requestId: request_id }));
  }
}

/**
 * Checks the question repeatedly, and aborts `closed` with AnsweredElsewhere when it is no longer open. Returns when
 * `signal` aborts.
 */
async function watchQuestion(
  { execution_id: id, request_id: requestId }: PendingBody,
  { app, client, signal, closed }: Asking & { closed: AbortController },
): Promise<void> {
  while (await sleepUnlessAborted(app.clock, CHECK_MS, signal)) {
    if (await isOpen(client, { id, requestId, signal })) continue;
    closed.abort(new AnsweredElsewhere(await describeEnd(client, { id, requestId })));
    return;
  }
}

async function isOpen(
  client: Client,
  { id, requestId, ...options }: { id: number; requestId: string; signal?: AbortSignal },
): Promise<boolean> {
  try {
    return (await client.pending(id, options)).request_id === requestId;
  } catch (error) {
    // While the service cannot be reached, the question counts as open.
    return !isClosed(error);
  }
}

/** Returns whether the service's error means that the question is closed. */
function isClosed(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

/**
 * Returns the place and the text of the answer, such as `Answered on the page: Approved`. For a question without an answer,
 * returns the execution's status.
 */
async function describeEnd(
  client: Client,
  { id, requestId }: { id: number; requestId: string },
): Promise<string> {
  try {
    for (const { event_type: type, message, metadata } of (await client.messages(id)).reverse()) {
      if (type !== "human" || metadata === null) continue;
      const answered = parseObject(metadata) ?? {};
      if (answered["request_id"] !== requestId) continue;
      if (answered["answered_via"] === "nobody") return "The question has expired";
      return `Answered ${toOneLine(describeAnswerPlace(answered))}: ${toOneLine(message)}`;
    }
    const { status } = await client.execution(id);
    return `The question of execution ${id} is closed: its status is ${status}`;
  } catch {
    return `The question of execution ${id} has been answered elsewhere`;
  }
}
