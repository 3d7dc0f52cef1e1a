// Serves the paths below /v1 in the format of the OpenAI API. A model is an agent with `expose: true`.
import { Client, type Transport } from "../../api/client/client.ts";
import type { Clock } from "../../base/clock.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { endCodeOf } from "../../runtime/vocabulary/end_reason.ts";
import { Exposed } from "../exposed.ts";
import type { RunPlace } from "../run_events.ts";
import { type AskedTurn, refuseTask } from "./asked_turn.ts";
import {
  type CompletionHead,
  readChatRequest,
  toChunks,
  toCompletion,
} from "./chat_completions.ts";
import { toEventResponse } from "./event_body.ts";
import { OpenAiError, toErrorResponse, toOpenAiError } from "./openai_error.ts";
import { followTurn, type TurnEvent } from "./run_events.ts";
import {
  readResponseId,
  readResponseRequest,
  toResponse,
  toResponseEvents,
  toState,
  UNKNOWN_REQUEST,
} from "./responses.ts";
import { findModel, startRun } from "./started_run.ts";

/** The maximum size of a request body in bytes. Pictures are in the body. */
export const MAX_BYTES = 20 * 1_024 * 1_024;

/** The objects that the endpoint needs. */
export interface OpenAiPorts {
  /** Sends a request to the API, whose answers are a program's. */
  fetch: Transport;
  clock: Clock;
  /** Reads the JSON of a body of at most MAX_BYTES. Rejects with an error that has a `status` and a `detail`. */
  readBody(request: Request): Promise<unknown>;
  /** Called with an error that is a bug. */
  onBug(error: unknown): void;
}

/** The writers of one form of the endpoint. */
interface Form {
  turn: AskedTurn;
  isStreamed: boolean;
  whole(events: AsyncIterable<TurnEvent>, head: CompletionHead): Promise<object>;
  /** Yields the events of a stream. `toError` converts the error of a run, or throws the reason of a closed stream. */
  pieces(
    events: AsyncIterable<TurnEvent>,
    head: CompletionHead,
    toError: (error: unknown) => OpenAiError,
  ): AsyncGenerator<string, void, void>;
}

/** The OpenAI-compatible endpoint. */
export class OpenAiEndpoint {
  readonly #ports: OpenAiPorts;
  readonly #exposed: Exposed;

  constructor(ports: OpenAiPorts) {
    this.#ports = ports;
    this.#exposed = new Exposed(new Client({ fetch: ports.fetch }));
  }

  /** Answers a request. Never rejects. */
  async respond(request: Request): Promise<Response> {
    try {
      return await this.#route(request);
    } catch (error) {
      return toErrorResponse(toOpenAiError(error, this.#ports.onBug));
    }
  }

  async #route(request: Request): Promise<Response> {
    const { method } = request;
    const { pathname } = new URL(request.url);
    if (method === "GET" && /^\/v1\/models(\/|$)/.test(pathname)) {
      return Response.json(
        await this.#models(decodeURIComponent(pathname.slice("/v1/models/".length))),
      );
    }
    if (method === "POST" && pathname === "/v1/chat/completions") {
      const chat = readChatRequest(await this.#ports.readBody(request));
      return await this.#answer(request, {
        ...chat,
        whole: toCompletion,
        pieces: (events, head, toError) => toChunks(events, head, { ...chat, toError }),
      });
    }
    if (method === "POST" && pathname === "/v1/responses") {
      const asked = readResponseRequest(await this.#ports.readBody(request));
      return await this.#answer(request, {
        ...asked,
        whole: (events, head) => toResponse(events, head, asked),
        pieces: (events, head, toError) => toResponseEvents(events, head, { ...asked, toError }),
      });
    }
    const [, stored, cancel] = /^\/v1\/responses\/([^/]+)(\/cancel)?$/.exec(pathname) ?? [];
    if (stored !== undefined && method === (cancel === undefined ? "GET" : "POST")) {
      return Response.json(await this.#read(readResponseId(stored), cancel !== undefined));
    }
    throw new OpenAiError(`There is no ${method} ${pathname} here`, {
      status: 404,
      code: "not_found",
    });
  }

  /** Returns a model, or the list of all for a blank id. */
  async #models(id: string): Promise<object> {
    if (id !== "") return toModel(await findModel(id, this.#exposed));
    return { object: "list", data: (await this.#exposed.agents()).map(toModel) };
  }

  /** Returns the response of an earlier run, after its cancellation if `isCancelled`. */
  async #read(run: RunPlace, isCancelled: boolean): Promise<object> {
    const exposed = this.#exposed;
    const { agent_id: model, started_at, status: before } = await exposed.execution(run.id);
    const head = { ...run, model, created: Math.floor(Date.parse(started_at) / SECOND_MS) };
    const status = isCancelled ? (await exposed.client.cancel(run.id)).status : before;
    if (status === "running") return toState(head, "in_progress");
    if (isCancelled && status !== before) return toState(head, "cancelled");
    try {
      return await toResponse(followTurn(run, { exposed, deltas: false }), head, UNKNOWN_REQUEST);
    } catch (error) {
      const isEndedByCancel = endCodeOf(await exposed.execution(run.id)) === "cancelled";
      if (isEndedByCancel) return toState(head, "cancelled");
      return toState(head, "failed", toOpenAiError(error, this.#ports.onBug));
    }
  }

  async #answer(request: Request, { turn, isStreamed, ...form }: Form): Promise<Response> {
    refuseTask(turn);
    const { clock, onBug } = this.#ports;
    const exposed = this.#exposed;
    const started = await startRun(turn, request.headers, { exposed, clock });
    const head = {
      ...started,
      model: turn.model,
      created: Math.floor(clock.now() / SECOND_MS),
    };
    if (!isStreamed) {
      return Response.json(await form.whole(followTurn(started, { exposed, deltas: false }), head));
    }
    return toEventResponse((signal) => {
      const events = followTurn(started, { exposed, deltas: true, signal });
      return form.pieces(events, head, (error) => {
        signal.throwIfAborted();
        return toOpenAiError(error, onBug);
      });
    }, {
      clock,
      onClose: () => void exposed.client.cancel(started.id).catch(onBug),
    });
  }
}

function toModel(
  { id, display_name: name, description }: Pick<
    AgentSummary,
    "id" | "display_name" | "description"
  >,
): object {
  return { id, object: "model", created: 0, owned_by: "inkling", name, description };
}
