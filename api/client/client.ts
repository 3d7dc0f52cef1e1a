// Defines the typed client of the HTTP API for the command line and the dashboard. Every command loads it at start-up, so
// it imports only types, its own small files and the clock.
import { SystemClock } from "../../base/clock.ts";
import type { z } from "zod";
import {
  type ClientRequest,
  type QueryValues,
  requestJson,
  sendRequest,
  toQuery,
} from "./client_request.ts";
import {
  followExecutionStream,
  followServiceStream,
  type ServiceEventMessage,
  type StreamFrame,
} from "./client_stream.ts";
import { type ClientOptions, socketTransport } from "./client_transport.ts";
import type { Operation } from "../operations/operation.ts";
import {
  OPERATION_PATHS,
  type OperationId,
  type OperationPath,
} from "../operations/operation_paths.ts";
import type { Operations } from "../routes/operations.ts";
export { ApiError, orMissing, ServiceUnreachable } from "./client_errors.ts";
export type { ServiceEventMessage, StreamFrame } from "./client_stream.ts";
export type { Transport } from "./client_transport.ts";

interface CallOptions {
  signal?: AbortSignal;
  /** The idempotency key of `run` and `fork`: a second call with the same key starts no second execution. */
  idempotencyKey?: string;
  /** The version of a file that was read, which must still be its version. Null for a new file. */
  version?: string | null;
}

/** The values of a query before they are serialized. */
type Query<Q extends z.ZodObject> = {
  [Name in keyof z.output<Q>]?: QueryValue<Exclude<z.output<Q>[Name], undefined>> | undefined;
};
type QueryValue<Value> = [Value] extends ["true" | "false"] ? boolean
  : Value extends readonly (infer Item)[] ? Item | readonly Item[]
  : Value;

type Input<Q, B> = Q extends z.ZodObject ? [query?: Query<Q>]
  : B extends z.ZodType
    ? Record<never, never> extends z.input<B> ? [body?: z.input<B>] : [body: z.input<B>]
  : [];

type Method<Of> = Of extends Operation<infer Response, infer Id, infer Q, infer B>
  ? Response extends z.ZodType ? (
      ...args: [...Id extends undefined ? [] : [id: Id], ...Input<Q, B>, options?: CallOptions]
    ) => Promise<z.output<Response>>
  : never
  : never;

/** The operations that return a stream. */
type Streamed = "follow" | "events";
type Methods = { [Id in Exclude<OperationId, Streamed>]: Method<Operations[Id]> };

/** The filter and the page of a list of executions. Times are ISO 8601. */
export type ExecutionQuery = Query<NonNullable<Operations["executions"]["query"]>>;

/**
 * One method for every operation, with the operation's name. Its arguments are the id in the path, the query or the body,
 * and the options. It throws ApiError, ServiceUnreachable, or the reason of its aborted signal.
 */
export interface Client extends Methods {
  [Symbol.dispose](): void;
}

/** The client of the API. Works over any transport. */
export class Client {
  readonly #transport: ClientOptions;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  static {
    for (const place of OPERATION_PATHS) {
      if (place.id in Client.prototype) continue;
      const value = function (this: Client, ...args: unknown[]): Promise<unknown> {
        return requestJson(this.#transport, toRequest(place, args));
      };
      Object.defineProperty(Client.prototype, place.id, {
        value,
        writable: true,
        configurable: true,
      });
    }
  }

  constructor(options: ClientOptions) {
    this.#transport = options;
    this.#sleep = options.sleep ?? ((ms, signal) => new SystemClock().sleep(ms, signal));
  }

  /**
   * Yields the frames of an execution after frame `after`, first the logged ones, then the live ones. Ends with `complete`,
   * `waiting` or `shutdown`. Reconnects after a broken connection and resumes after the last frame. Deltas sent in between
   * are lost, but a later frame contains their text.
   */
  follow(
    id: number,
    options: { after?: number; deltas?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame, void, void> {
    const { after = 0, deltas, ...rest } = options;
    const open = (last: number) =>
      this.#openStream("follow", [id, { ...rest, deltas: deltas ? 1 : undefined }], {
        "last-event-id": `${last}`,
      });
    return followExecutionStream(id, { ...rest, open, sleep: this.#sleep, after });
  }

  /**
   * Yields the service's events from now on, up to and including `shutdown`. Calls `onOpen` once it is connected. Throws
   * ServiceUnreachable when the connection breaks: the service does not repeat events, so the caller must read the state
   * again.
   */
  events(
    options: { signal?: AbortSignal; onOpen?: () => void } = {},
  ): AsyncGenerator<ServiceEventMessage, void, void> {
    const { onOpen, ...rest } = options;
    const open = () => this.#openStream("events", [rest]);
    return followServiceStream({ ...rest, ...(onOpen && { onOpen }), open });
  }

  [Symbol.dispose](): void {
    this.#transport.close?.();
  }

  #openStream(
    id: Streamed,
    args: unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const place = OPERATION_PATHS.find((one) => one.id === id);
    if (place === undefined) throw new TypeError(`No operation ${id}`);
    const accept = { accept: "text/event-stream", ...headers };
    return sendRequest(this.#transport, { ...toRequest(place, args), headers: accept });
  }
}

/** Returns the request for a method's arguments: the id if the path has one, the input, and the options. */
function toRequest({ method, path }: OperationPath, args: unknown[]): ClientRequest {
  const hasId = path.includes("{id}");
  const { signal, idempotencyKey, version, ...input }: CallOptions & Omit<QueryValues, "version"> =
    Object.assign({}, ...args.slice(hasId ? 1 : 0));
  const headers = {
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(version === null && { "if-none-match": "*" }),
    ...(typeof version === "string" && { "if-match": version }),
  };
  const hasBody = method === "POST" || method === "PUT";
  const filled = hasId
    ? path.replace("{id}", () => encodeURIComponent(String(args[0]).toWellFormed()))
    : path;
  return {
    method,
    path: hasBody ? filled : filled + toQuery(input as QueryValues),
    ...(hasBody && { body: input }),
    headers,
    ...(signal && { signal }),
  };
}

/** Returns a client of the service over a Unix socket. It connects at the first call, and names its channel `via`. */
export function openSocketClient(socketFile: string, via?: "terminal"): Client {
  const headers = via && { "x-inkling-via": via };
  return new Client({ ...socketTransport(socketFile), ...(headers && { headers }) });
}
