// MCP messages over streamable HTTP: the client package's transport with four additions. A request fails when its stream
// ends without an answer, a cancelled request is disconnected, replies have a size limit, and delays use our Clock.
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import {
  MAX_MESSAGE_BYTES,
  MAX_MESSAGES_PER_MINUTE,
  type McpLimits,
  TOO_MANY_MESSAGES,
} from "./mcp_limits.ts";
import { MinuteBudget } from "./minute_budget.ts";
import type { ServerEndpoint } from "./servers_file/server_definition.ts";
import type { ServerLink } from "./server_link.ts";

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603;

/** The error data of the answer that this side creates when the server sends none. */
export const UNANSWERED = "unanswered";

/** The maximum number of our answers to the server's requests that may be in transit. */
const MAX_UNREAD_ANSWERS = 32;

/** A connection to a server at a URL. */
export class HttpTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  /** Same as the client package's transport: one HTTP request for each message. */
  readonly hasPerRequestStream = true;
  readonly stderr = "";
  readonly #inner: Transport & Pick<StreamableHTTPClientTransport, "terminateSession">;
  readonly #clock: Clock;
  readonly #limits: McpLimits;
  readonly #closing = new AbortController();
  /** The abort controllers of requests without an answer, by request id. */
  readonly #open = new Map<unknown, AbortController>();
  readonly #budget: MinuteBudget;
  /** Our answers and notifications in transit. */
  #unanswered = 0;
  #fault: RangeError | undefined;

  constructor(endpoint: ServerEndpoint, options: { clock: Clock; limits: McpLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#budget = new MinuteBudget(options.clock, MAX_MESSAGES_PER_MINUTE);
    this.#inner = new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
      fetch: async (url, init) =>
        boundReply(await requireOrigin(await fetch(url, init), new URL(url)), {
          maxBytes: MAX_MESSAGE_BYTES,
          onEvent: () => this.#count(),
        }),
      // The default, spelled out because of requireOrigin(): a redirect's response is returned for that check before it is
      // followed.
      redirectPolicy: "same-origin",
      reconnectionScheduler: (reconnect, delayMs) => this.#schedule(reconnect, delayMs),
    });
  }

  /** Only the answers of a remote program are known. */
  get endReason(): string | undefined {
    return this.#fault?.message;
  }

  /** A remote server has no sandbox. */
  takeRefusedHosts(): string[] {
    return [];
  }

  /** The server's id of this session. Undefined for a server without sessions. */
  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ("method" in message && message.method === "notifications/cancelled") {
      await this.#cancel(message, options);
      return;
    }
    // A subscription's stream handles its own end.
    if (!isJSONRPCRequest(message) || options.onRequestStreamEnd !== undefined) {
      // Each takes a connection, and a server may request any number of answers.
      if (this.#unanswered >= MAX_UNREAD_ANSWERS) {
        throw new RangeError("it does not read our answers");
      }
      this.#unanswered++;
      await this.#inner.send(message, options).finally(() => this.#unanswered--);
      return;
    }
    const { id } = message;
    const hangUp = new AbortController();
    this.#open.set(id, hangUp);
    const { requestSignal = hangUp.signal } = options;
    try {
      await this.#inner.send(message, {
        ...options,
        requestSignal: AbortSignal.any([requestSignal, hangUp.signal]),
        onRequestStreamEnd: () => this.#failUnanswered(id),
      });
    } catch (error) {
      this.#open.delete(id);
      // The caller that aborted has its error already.
      if (!hangUp.signal.aborted) throw error;
    }
  }

  async close(): Promise<void> {
    // A courtesy: a server that does not accept it expires the session.
    await this.#briefly(() => this.#inner.terminateSession());
    this.#closing.abort();
    for (const hangUp of this.#open.values()) hangUp.abort();
    this.#open.clear();
    await this.#inner.close();
  }

  /** Notifies the server, and disconnects without waiting: the reason to cancel is that it does not answer. */
  async #cancel(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const id = "params" in message ? message.params?.["requestId"] : undefined;
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    const limit = new AbortController();
    await this.#briefly(() =>
      this.#inner.send(message, { ...options, requestSignal: limit.signal })
    );
    limit.abort();
  }

  /** Waits briefly until `work` succeeds or fails. */
  async #briefly(work: () => Promise<void>): Promise<void> {
    const within = { clock: this.#clock, ms: this.#limits.killMs };
    await firstOf(work().catch(() => {/* Best effort. */}), { within });
  }

  /** Counts one event of the server. Throws RangeError for one too many, which ends the connection. */
  #count(): void {
    if (this.#fault === undefined && this.#budget.take() >= 0) return;
    this.#fault ??= new RangeError(TOO_MANY_MESSAGES);
    // After the stream itself has ended because of this error.
    queueMicrotask(() => void this.#inner.close());
    throw this.#fault;
  }

  #receive(message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      this.#open.delete(message.id);
    }
    this.onmessage?.(message);
  }

  #failUnanswered(id: number | string): void {
    if (!this.#open.has(id)) return;
    const message = "the connection ended before the answer";
    this.#receive({
      jsonrpc: "2.0",
      id,
      error: { code: INTERNAL_ERROR, message, data: UNANSWERED },
    });
  }

  #schedule(reconnect: () => void, delayMs: number): () => void {
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#closing.signal]);
    this.#clock.sleep(delayMs, signal).then(reconnect, () => {/* No longer needed. */});
    return () => cancel.abort();
  }
}

/** Headers and session belong to the origin in the entry. Throws RangeError for a redirect to another one. */
async function requireOrigin(reply: Response, { origin, href }: URL): Promise<Response> {
  const location = reply.headers.get("location");
  const target = location === null ? null : URL.parse(location, href);
  if (reply.status < 300 || reply.status > 399 || target === null) return reply;
  if (target.origin === origin) return reply;
  await reply.body?.cancel();
  throw new RangeError(
    `it redirects from ${origin} to ${target.origin}, which is not followed: what its entry holds is for ${origin}`,
  );
}

/**
 * Returns the reply with a body that fails when it, or one event of an event stream, exceeds `maxBytes`. `onEvent` is
 * called after each event; its errors fail the body, too.
 */
function boundReply(
  reply: Response,
  { maxBytes, onEvent }: { maxBytes: number; onEvent: () => void },
): Response {
  if (reply.body === null) return reply;
  const isStream = /^text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "");
  const body = reply.body.pipeThrough(limitBytes(maxBytes, isStream ? onEvent : undefined));
  return new Response(body, reply);
}

function limitBytes(
  maxBytes: number,
  onEvent: (() => void) | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  let feeds = 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (onEvent !== undefined) {
        // An empty line ends an event; a carriage return belongs to the line ending.
        for (const byte of chunk) {
          size++;
          if (byte === 0x0a) feeds++;
          else if (byte !== 0x0d) feeds = 0;
          if (feeds === 2) {
            size = feeds = 0;
            onEvent();
          }
          if (size > maxBytes) break;
        }
      } else size += chunk.length;
      if (size > maxBytes) {
        controller.error(new RangeError(`the reply is over ${maxBytes / 1024 / 1024} MB`));
      } else controller.enqueue(chunk);
    },
  });
}
