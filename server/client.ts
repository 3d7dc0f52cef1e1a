// The typed client of the HTTP API, for the command line and for tests. It stands on the start-up path of every
// command: it imports types, its errors and a small parser, nothing else.
import { SystemClock } from "../runtime/clock.ts";
import type { ExecutionStatus } from "../runtime/executions/execution.ts";
import { ApiError, ServiceUnreachable, toDetail } from "./client_errors.ts";
import { readText, toQuery } from "./client_request.ts";
import { type ClientOptions, socketTransport, tcpTransport } from "./client_transport.ts";
import type { PlainAnswer } from "./socket_request.ts";
import {
  readFrames,
  readServiceEvents,
  type ServiceEventMessage,
  type StreamFrame,
} from "./client_stream.ts";
import type {
  CheckpointsBody,
  PendingBody,
  PurgeBody,
  PurgedBody,
  RespondAccepted,
  RespondBody,
} from "./request_schemas.ts";
import type { HealthBody } from "./health_schema.ts";
import type { LogBody, StatsBody } from "./report_schemas.ts";
import type {
  AgentDetail,
  AgentSummary,
  CancelBody,
  ExecutionDetail,
  ExecutionSummary,
  InfoBody,
  LogRow,
  ReloadBody,
  RunAccepted,
  RunBody,
  SchedulerBody,
  SchedulerChanged,
  ShutdownBody,
  SlotBody,
} from "./schemas.ts";

export { ApiError, ServiceUnreachable } from "./client_errors.ts";

export type { ServiceEventMessage, StreamFrame } from "./client_stream.ts";

export type { Transport } from "./client_transport.ts";

interface CallOptions {
  signal?: AbortSignal;
}

interface Page {
  limit?: number;
  offset?: number;
}

/** Waits before each attempt to take up a broken stream again, in milliseconds. */
const RECONNECT_MS = [50, 100, 250, 500, 1_000, 2_000];
const LAST_EVENTS: ReadonlySet<string> = new Set(["complete", "waiting", "shutdown"]);

/** One method per endpoint. Every method throws ApiError, ServiceUnreachable, or the reason of its aborted signal. */
export class Client {
  readonly #fetch: ClientOptions["fetch"];
  readonly #read: ClientOptions["read"];
  readonly #close: () => void;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: ClientOptions) {
    this.#fetch = options.fetch;
    this.#read = options.read;
    this.#close = options.close ?? (() => {});
    this.#sleep = options.sleep ?? ((ms, signal) => new SystemClock().sleep(ms, signal));
  }

  health(options: CallOptions = {}): Promise<HealthBody> {
    return this.#call("GET", "/health", options);
  }

  info(options: CallOptions = {}): Promise<InfoBody> {
    return this.#call("GET", "/info", options);
  }

  shutdown(options: CallOptions = {}): Promise<ShutdownBody> {
    return this.#call("POST", "/shutdown", options);
  }

  agents(): Promise<AgentSummary[]> {
    return this.#call("GET", "/agents");
  }

  agent(id: string): Promise<AgentDetail> {
    return this.#call("GET", `/agents/${encodeURIComponent(id)}`);
  }

  run(
    id: string,
    body: RunBody = {},
    options: { idempotencyKey?: string } = {},
  ): Promise<RunAccepted> {
    const headers: Record<string, string> = {};
    if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
    return this.#call("POST", `/agents/${encodeURIComponent(id)}/run`, { body, headers });
  }

  runs(id: string, page: Page = {}): Promise<ExecutionSummary[]> {
    return this.#call("GET", `/agents/${encodeURIComponent(id)}/runs${toQuery({ ...page })}`);
  }

  slots(id: string, page: Page = {}): Promise<SlotBody[]> {
    return this.#call("GET", `/agents/${encodeURIComponent(id)}/slots${toQuery({ ...page })}`);
  }

  reload(): Promise<ReloadBody> {
    return this.#call("POST", "/agents/reload");
  }

  executions(
    filter: Page & { status?: readonly ExecutionStatus[]; agent?: string; parent?: number } = {},
  ): Promise<ExecutionSummary[]> {
    const query = toQuery({ ...filter, status: filter.status?.join(",") });
    return this.#call("GET", `/executions${query}`);
  }

  execution(id: number): Promise<ExecutionDetail> {
    return this.#call("GET", `/executions/${id}`);
  }

  messages(id: number, page: { after?: number; limit?: number } = {}): Promise<LogRow[]> {
    return this.#call("GET", `/executions/${id}/messages${toQuery({ ...page })}`);
  }

  cancel(id: number): Promise<CancelBody> {
    return this.#call("DELETE", `/executions/${id}`);
  }

  pending(id: number): Promise<PendingBody> {
    return this.#call("GET", `/executions/${id}/pending`);
  }

  respond(id: number, body: RespondBody): Promise<RespondAccepted> {
    return this.#call("POST", `/executions/${id}/respond`, { body });
  }

  checkpoints(): Promise<CheckpointsBody> {
    return this.#call("GET", "/checkpoints");
  }

  purgeCheckpoints(body: PurgeBody = {}): Promise<PurgedBody> {
    return this.#call("POST", "/checkpoints/purge", { body });
  }

  /**
   * The frames of one execution behind `after`: those logged, then live ones, up to and including `complete`,
   * `waiting` or `shutdown`. A connection that breaks earlier is taken up again behind the last frame (text that
   * streamed as deltas meanwhile is lost, the frame that holds it is not).
   */
  async *follow(
    id: number,
    options: { after?: number; deltas?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame, void, void> {
    const { signal } = options;
    const path = `/executions/${id}/stream${toQuery({ deltas: options.deltas ? 1 : undefined })}`;
    let after = options.after ?? 0;
    let connected = false;
    for (let attempt = 0;;) {
      try {
        const headers = { accept: "text/event-stream", "last-event-id": String(after) };
        const response = await this.#send("GET", path, { headers, ...(signal && { signal }) });
        connected = true;
        for await (const frame of readFrames(response)) {
          attempt = 0;
          if (frame.id !== null) after = frame.id;
          yield frame;
          if (LAST_EVENTS.has(frame.event)) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!connected || !(error instanceof ServiceUnreachable)) throw error;
        if (attempt >= RECONNECT_MS.length) throw error;
      }
      const wait = RECONNECT_MS[attempt++];
      if (wait === undefined) {
        throw new ServiceUnreachable(`The stream of execution ${id} ends without a result`);
      }
      await this.#sleep(wait, signal);
    }
  }

  scheduler(options: { upcoming?: number } = {}): Promise<SchedulerBody> {
    return this.#call("GET", `/scheduler${toQuery({ ...options })}`);
  }

  pauseScheduler(): Promise<SchedulerChanged> {
    return this.#call("POST", "/scheduler/pause");
  }

  resumeScheduler(): Promise<SchedulerChanged> {
    return this.#call("POST", "/scheduler/resume");
  }

  /**
   * What happens in the service from now on, up to and including `shutdown`. There is no replay, so nothing is taken
   * up again: throws ServiceUnreachable when the connection breaks, and the caller asks for the state. `onOpen` is
   * called when the service tells what happens from then on.
   */
  async *events(
    options: CallOptions & { onOpen?: () => void } = {},
  ): AsyncGenerator<ServiceEventMessage, void, void> {
    const headers = { accept: "text/event-stream" };
    const response = await this.#send("GET", "/events/stream", { headers, ...options });
    options.onOpen?.();
    try {
      yield* readServiceEvents(response);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    }
  }

  stats(options: { days?: number; timezone?: string } = {}): Promise<StatsBody> {
    return this.#call("GET", `/stats${toQuery({ ...options })}`);
  }

  log(options: { lines?: number } = {}): Promise<LogBody> {
    return this.#call("GET", `/log${toQuery({ ...options })}`);
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  async #call<T>(
    method: string,
    path: string,
    options: CallOptions & { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<T> {
    const { status, text } = await this.#ask(method, path, options);
    try {
      return JSON.parse(text);
    } catch {
      throw new ApiError(status, `The service answered ${method} ${path} with no JSON`);
    }
  }

  async #ask(
    method: string,
    path: string,
    options: CallOptions & { body?: unknown; headers?: Record<string, string> },
  ): Promise<PlainAnswer> {
    if (this.#read === undefined || method !== "GET") {
      const response = await this.#send(method, path, options);
      return { status: response.status, text: await readText(response, options.signal) };
    }
    const answer = await this.#read(path, options);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    throw new ApiError(answer.status, toDetail(answer.text));
  }

  /** The response of a request that succeeded. */
  async #send(
    method: string,
    path: string,
    options: CallOptions & { body?: unknown; headers?: Record<string, string> },
  ): Promise<Response> {
    const { signal, body } = options;
    const headers = new Headers(options.headers);
    if (body !== undefined) headers.set("content-type", "application/json");
    let response: Response;
    try {
      response = await this.#fetch(path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ServiceUnreachable("The service does not answer", { cause });
    }
    if (response.ok) return response;
    throw new ApiError(response.status, toDetail(await readText(response, signal)));
  }
}

/** A client of the service behind a Unix socket. Nothing is opened before the first call. */
export function openSocketClient(socketFile: string): Client {
  return new Client(socketTransport(socketFile));
}

/** A client of the service on a TCP port. */
export function openTcpClient(address: { host: string; port: number; apiKey: string }): Client {
  return new Client(tcpTransport(address));
}
