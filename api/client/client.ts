// The typed client of the HTTP API, for the command line and the dashboard: what can be asked. It stands on the start-up
// path of every command: it imports types, its own small parts and the clock, nothing else.
import { SystemClock } from "../../base/clock.ts";
import type { z } from "zod";
import {
  askForJson,
  type ClientRequest,
  type QueryValues,
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
import type { Operations } from "../operations/operations.ts";
export { ApiError, orMissing, ServiceUnreachable } from "./client_errors.ts";
export type { ServiceEventMessage, StreamFrame } from "./client_stream.ts";
export type { Transport } from "./client_transport.ts";

interface CallOptions {
  signal?: AbortSignal;
  /** For `run` and `fork`: a repeated call with the same key starts nothing. */
  idempotencyKey?: string;
}

/** The values of a query, before they become text. */
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

/** The operations that answer with a stream: their methods follow it. */
type Streamed = "follow" | "events";
type Methods = { [Id in Exclude<OperationId, Streamed>]: Method<Operations[Id]> };

/** Which executions, and how much of them. Times are ISO 8601. */
export type ExecutionQuery = Query<NonNullable<Operations["executions"]["query"]>>;

/**
 * A method of the same name for every operation. It takes the id of the path, then the query or the body, then options. It
 * throws ApiError, ServiceUnreachable, or the reason of its aborted signal.
 */
export interface Client extends Methods {
  [Symbol.dispose](): void;
}

/** The client over any transport. */
export class Client {
  readonly #transport: ClientOptions;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  static {
    for (const place of OPERATION_PATHS) {
      if (place.id in Client.prototype) continue;
      const value = function (this: Client, ...args: unknown[]): Promise<unknown> {
        return askForJson(this.#transport, toRequest(place, args));
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
   * The frames of one execution after `after`: those logged, then live ones, up to and including `complete`,
   * `waiting` or `shutdown`. A connection that breaks earlier is resumed after the last frame (text that
   * streamed as deltas meanwhile is lost, the frame that holds it is not).
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
   * What happens in the service from now on, up to and including `shutdown`. There is no replay, so nothing is taken
   * up again: throws ServiceUnreachable when the connection breaks, and the caller asks for the state. `onOpen` is
   * called when the service tells what happens from then on.
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
    return sendRequest(this.#transport.fetch, { ...toRequest(place, args), headers: accept });
  }
}

/** The request of a method: an id where the path has one, then what goes into the query or the body, with the options. */
function toRequest({ method, path }: OperationPath, args: unknown[]): ClientRequest {
  const hasId = path.includes("{id}");
  const { signal, idempotencyKey, ...input }: CallOptions & QueryValues = Object.assign(
    {},
    ...args.slice(hasId ? 1 : 0),
  );
  const filled = hasId ? path.replace("{id}", () => encodeURIComponent(String(args[0]))) : path;
  return {
    method,
    path: method === "POST" ? filled : filled + toQuery(input),
    ...(method === "POST" && { body: input }),
    ...(idempotencyKey !== undefined && { headers: { "idempotency-key": idempotencyKey } }),
    ...(signal && { signal }),
  };
}

/** A client of the service over a Unix socket. Nothing is opened before the first call. */
export function openSocketClient(socketFile: string): Client {
  return new Client(socketTransport(socketFile));
}
