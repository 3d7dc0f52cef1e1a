// Shows a run's question as an assistant's turn, and gives answers.
import { ApiError, type Client } from "../api/client/client.ts";
import type { PendingBody, RespondBody } from "../api/schemas/request_schemas.ts";

/** The number of characters of a question's id in its turn. They show that the turn comes from this service. */
const CODE_LENGTH = 8;
const MARK = /\[Run (\d+) waits for [^\]\n]* · ([\w-]{8})\]\s*$/;

/** Returns the turn that asks a question. It ends with a mark that names the run, by which the next turn is its answer. */
export function toQuestionTurn(pending: PendingBody): string {
  const { message, options, multi, kind, execution_id: id, request_id: request } = pending;
  const list = (options ?? []).map((option, index) => `${index + 1}. ${option}`);
  const isOpen = pending.open_to_programs === true;
  const how = !isOpen
    ? `a person: inkling respond ${id}, or the page`
    : kind === "confirm"
    ? "your answer: yes or no"
    : kind === "choice"
    ? `your answer: the number of ${multi ? "each choice" : "a choice"}`
    : "your answer";
  const mark = `[Run ${id} waits for ${how} · ${request.slice(0, CODE_LENGTH)}]`;
  const choices = list.length > 0 ? [list.join("\n")] : [];
  return [message, ...describeCall(pending), ...choices, mark].join("\n\n");
}

/** Returns the file and the change, or the arguments, of the call that needs approval. Empty for other questions. */
function describeCall({ is_guard: isGuard, preview, tool_args: args }: PendingBody): string[] {
  if (preview?.diff) return [preview.path, "```diff\n" + preview.diff + "\n```"];
  return isGuard ? ["```json\n" + JSON.stringify(args, null, 2) + "\n```"] : [];
}

/** Returns the run and the beginning of the question's id from a turn that asks a question; undefined for another turn. */
export function readMark(turn: string): { id: number; code: string } | undefined {
  const [, id, code] = MARK.exec(turn) ?? [];
  return id === undefined || code === undefined ? undefined : { id: Number(id), code };
}

/** Returns true if the mark belongs to this question. */
export function isMarkOf(code: string, requestId: string): boolean {
  return requestId.slice(0, CODE_LENGTH) === code;
}

/** Answers a question. If somebody else has answered it, or the answer does not fit, the run's next event shows this. */
export async function giveAnswer(
  client: Client,
  { execution_id, request_id }: Pick<PendingBody, "execution_id" | "request_id">,
  answer: Pick<RespondBody, "response" | "via">,
): Promise<void> {
  try {
    await client.respond(execution_id, { request_id, ...answer });
  } catch (error) {
    if (!(error instanceof ApiError) || ![409, 422].includes(error.status)) throw error;
  }
}
