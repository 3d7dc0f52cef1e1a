// Exchanges MCP messages over streamable HTTP, or over the older transport, where one event stream brings all messages of
// the server. The class adds to the client package's transports: a request fails if its stream ends without an answer, a
// cancelled request is disconnected, replies have a size limit, and delays use Inkling's Clock.
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { firstOf } from "../../../base/first_of.ts";
import { fetchBounded } from "./bounded_fetch.ts";
import { describeTooMany, MinuteBudget } from "./mcp_limits.ts";
import type { Secret } from "../../secrets/secret.ts";
import type { ServerDefinition } from "./servers_file/server_definition.ts";
import type { ServerLink, SessionPorts } from "./server_link.ts";
import { ServerTokens } from "./sign_in/server_tokens.ts";

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603;

/** The `data` of the error response that this transport creates for a request whose stream ended without a response. */
export const UNANSWERED = "unanswered";

/** The maximum number of responses and notifications that may be on their way to the server. */
const MAX_UNREAD_ANSWERS = 32;

type Endpoint = Extract<ServerDefinition, { kind: "endpoint" }>;

/** A connection to an MCP server at a URL. */
export class HttpTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  /** True as in the client package's transport for streamable HTTP, which sends one HTTP request for each message. */
  readonly hasPerRequestStream: boolean;
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #tokens: ServerTokens | undefined;
  readonly #inner: Transport & Partial<Pick<StreamableHTTPClientTransport, "terminateSession">>;
  readonly #ports: SessionPorts;
  readonly #closing = new AbortController();
  /** The abort controllers of requests without a response, by request id. */
  readonly #open = new Map<unknown, AbortController>();
  readonly #budget: MinuteBudget;
  /** The number of responses and notifications on their way to the server. */
  #unanswered = 0;
  #fault: RangeError | undefined;
  /** The reason that the older transport's stream could not be opened. The package's own error does not contain it. */
  #refusal: unknown;
  #hasStarted = false;

  constructor(name: string, endpoint: Endpoint, ports: SessionPorts) {
    this.name = name;
    this.#endpoint = endpoint;
    this.#ports = ports;
    const { oauth, headers } = endpoint;
    const tokens = oauth && new ServerTokens({ name, url: endpoint.url, headers, oauth }, ports);
    this.#tokens = tokens;
    this.#budget = new MinuteBudget(ports.clock, ports.limits.messagesPerMinute);
    const url = new URL(endpoint.url);
    const bounds = { onEvent: () => this.#count(), signal: this.#closing.signal, tokens };
    const settings = {
      requestInit: { headers },
      fetch: (url: string | URL, init?: RequestInit) => fetchBounded(url, init, bounds),
      // The entry's headers and tokens are only for its origin.
      redirectPolicy: "same-origin" as const,
    };
    this.hasPerRequestStream = endpoint.transport !== "sse";
    this.#inner = this.hasPerRequestStream
      ? new StreamableHTTPClientTransport(url, {
        ...settings,
        reconnectionScheduler: (reconnect, delayMs) => this.#schedule(reconnect, delayMs),
      })
      : new SSEClientTransport(url, {
        ...settings,
        fetch: (url, init) =>
          settings.fetch(url, init).then(requireSuccess).catch((error) => {
            this.#refusal = error;
            throw error;
          }),
      });
  }

  get secrets(): readonly Secret[] {
    return [...this.#endpoint.secrets, ...this.#tokens?.secrets ?? []];
  }

  /** The reason for which this transport ended the connection, if it did. The state of a remote program is unknown. */
  get endReason(): string | undefined {
    return this.#fault?.message;
  }

  /** The session's id, given by the server. Undefined if the server has no sessions. */
  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message);
    this.#inner.onerror = (error) => {
      this.onerror?.(error);
      // The package would open another stream of the older transport, which the server takes for another client.
      if (this.#hasStarted && error instanceof SseError) this.#end("its event stream ended");
    };
    this.#inner.onclose = () => this.onclose?.();
    try {
      await this.#inner.start();
      this.#hasStarted = true;
    } catch (error) {
      await this.close();
      throw this.#refusal ?? error;
    }
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ("method" in message && message.method === "notifications/cancelled") {
      await this.#cancel(message, options);
      return;
    }
    if (!this.hasPerRequestStream && isJSONRPCRequest(message)) {
      return await this.#inner.send(message);
    }
    // Requests with `onRequestStreamEnd`, such as subscriptions, handle the end of their stream themselves.
    if (!isJSONRPCRequest(message) || options.onRequestStreamEnd !== undefined) {
      // Each message needs a connection, and a server may send any number of requests that need a response.
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
      // After an abort, the caller has the abort's reason as its error.
      if (!hangUp.signal.aborted) throw error;
    }
  }

  async close(): Promise<void> {
    // Ending the session is only polite: a server that ignores the request lets the session expire.
    await this.#briefly(async () => await this.#inner.terminateSession?.());
    this.#closing.abort();
    for (const hangUp of this.#open.values()) hangUp.abort();
    this.#open.clear();
    await this.#inner.close();
  }

  /**
   * Disconnects the request, then notifies the server of the cancellation. Waits only briefly, because a cancelled server
   * often does not respond.
   */
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

  /** Waits until `work` succeeds or fails, but at most `killMs`. */
  async #briefly(work: () => Promise<void>): Promise<void> {
    const { clock, limits } = this.#ports;
    const within = { clock, ms: limits.killMs };
    await firstOf(work().catch(() => {/* Best effort. */}), { within });
  }

  /** Counts an event of the server. Throws RangeError if the limit is exceeded, and closes the connection. */
  #count(): void {
    if (this.#fault === undefined && this.#budget.take() >= 0) return;
    this.#end(describeTooMany(this.#ports.limits));
    throw this.#fault;
  }

  #end(reason: string): void {
    this.#fault ??= new RangeError(reason);
    // The connection is closed in a microtask, after the package has handled the error.
    queueMicrotask(() => {
      this.#closing.abort();
      void this.#inner.close();
    });
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
    this.#ports.clock.sleep(delayMs, signal).then(reconnect, () => {/* No longer needed. */});
    return () => cancel.abort();
  }
}

/** Throws SdkHttpError with the status for a refusal. The package's errors of the older transport do not contain it. */
async function requireSuccess(reply: Response): Promise<Response> {
  const { status, statusText } = reply;
  if (status < 400) return reply;
  const text = await reply.text().catch(() => "");
  throw new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, statusText, {
    status,
    statusText,
    text,
  });
}
