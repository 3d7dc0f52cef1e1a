// Starts the run of a turn, joins the run of an equal request, or answers the question before the turn.
import { ApiError } from "../../api/client/client.ts";
import { sha256Of } from "../../base/sha256.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { AgentDetail } from "../../api/schemas/agent_schemas.ts";
import type { Clock } from "../../base/clock.ts";
import { parseObject, textOf } from "../../present/payload.ts";
import type { Exposed } from "../exposed.ts";
import type { AskedTurn } from "./asked_turn.ts";
import { OpenAiError } from "./openai_error.ts";
import { readAnswer } from "../../base/text/answer_words.ts";
import type { RunPlace } from "../run_events.ts";
import { giveAnswer, isMarkOf, readMark } from "../question_words.ts";

/** The time in which a repeated request joins its first run. Clients retry within seconds. */
const RETRY_MS = 60 * MINUTE_MS;

/** Returns the run that answers a turn of a request with these headers. Throws ApiError and OpenAiError. */
export async function startRun(
  turn: AskedTurn,
  headers: Headers,
  { exposed, clock }: { exposed: Exposed; clock: Clock },
): Promise<RunPlace> {
  const { id: agent } = await findModel(turn.model, exposed);
  const session = headers.get("x-session-id")?.trim() || undefined;
  const key = headers.get("idempotency-key")?.trim() || undefined;
  const isRetry = Number(headers.get("x-stainless-retry-count") ?? 0) > 0;
  const asked = await findAsked(turn, session, exposed);
  if (asked !== undefined) return await answerQuestion(asked, turn.message, exposed);
  const { message, context, pictures, history, continues } = turn;
  const body = session === undefined
    ? { message, context, pictures, ...(continues === undefined ? { history } : { continues }) }
    : { message, pictures };
  const label = session ?? await labelOf({ agent, ...body });
  const { client } = exposed;
  if (isRetry && key === undefined) {
    const since = new Date(clock.now() - RETRY_MS).toISOString();
    const [newest] = await client.executions({ agent, session: label, since, limit: 1 });
    const first = newest && await client.execution(newest.id);
    if (first !== undefined && first.message === message) return { id: first.id, after: 0 };
  }
  const { execution_id: id } = await client.run(agent, { ...body, session_id: label }, {
    ...(key !== undefined && { idempotencyKey: `v1:${key}` }),
  });
  return { id, after: 0 };
}

/** Returns an exposed agent. Throws OpenAiError. */
export async function findModel(model: string, exposed: Exposed): Promise<AgentDetail> {
  try {
    return await exposed.agent(model);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new OpenAiError(
      `The model '${model}' does not exist: GET /v1/models lists the agents with expose: true`,
      { status: 404, code: "model_not_found", param: "model" },
    );
  }
}

/** Returns the session id of equal requests. It joins no conversation, because their runs have a history of their own. */
async function labelOf(request: unknown): Promise<string> {
  return `v1-${(await sha256Of(JSON.stringify(request))).slice(0, 32)}`;
}

/** Returns the run whose question precedes the turn, with the question's mark. Undefined if there is none. */
async function findAsked(
  { model, history, continues }: AskedTurn,
  session: string | undefined,
  exposed: Exposed,
): Promise<{ id: number; code?: string } | undefined> {
  if (session !== undefined) {
    const [waiting] = await exposed.client.executions({
      agent: model,
      session,
      status: ["waiting"],
      limit: 1,
    });
    return waiting && { id: waiting.id };
  }
  if (continues !== undefined) {
    const { status, agent_id: agent } = await exposed.execution(continues);
    if (agent !== model) {
      throw new OpenAiError(`The previous response is of the model '${agent}'`, {
        param: "previous_response_id",
      });
    }
    return status === "waiting" ? { id: continues } : undefined;
  }
  const last = history.at(-1);
  return last?.role === "assistant" ? readMark(last.content) : undefined;
}

/**
 * Answers the question with the words of the turn. If the words do not fit, or a program must not answer, the run still
 * waits, and the turn is its question again. If the run goes on already, the turn is its further course.
 */
async function answerQuestion(
  { id, code }: { id: number; code?: string },
  words: string,
  exposed: Exposed,
): Promise<RunPlace> {
  const { status } = await exposed.execution(id);
  const rows = await exposed.client.messages(id);
  const question = rows.findLast(({ event_type, metadata }) =>
    event_type === "interrupt" && (code === undefined || isMarkOf(code, requestOf(metadata)))
  );
  if (question === undefined) {
    throw new OpenAiError(`Run ${id} has no such question: start a new chat`, { status: 409 });
  }
  if (status !== "waiting") return { id, after: question.id };
  const pending = await exposed.pending(id);
  const isOpen = pending.open_to_programs === true &&
    pending.request_id === requestOf(question.metadata);
  const response = isOpen ? readAnswer(pending, words) : undefined;
  if (response !== undefined) await giveAnswer(exposed.client, pending, { response });
  return { id, after: question.id };
}

function requestOf(metadata: string | null): string {
  return textOf(parseObject(metadata ?? "{}") ?? {}, "request_id");
}
