// Exchanges MCP messages over the older HTTP transport: one event stream brings all messages of the server, and each
// message of the client is a request of its own. The client package implements it; this class adds Inkling's limits, and
// ends the connection with its stream, because a new stream would be a new session.
import {
  type JSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/clock.ts";
import { fetchBounded } from "./bounded_fetch.ts";
import { MAX_UNREAD_ANSWERS } from "./http_transport.ts";
import { MAX_MESSAGES_PER_MINUTE, TOO_MANY_MESSAGES } from "./mcp_limits.ts";
import { MinuteBudget } from "./minute_budget.ts";
import type { ServerLink } from "./server_link.ts";
import type { ServerEndpoint } from "./servers_file/server_definition.ts";
import type { ServerTokens } from "./sign_in/server_tokens.ts";

/** A connection to an MCP server at a URL that supports only the older transport. */
export class SseTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly stderr = "";
  readonly #inner: SSEClientTransport;
  readonly #budget: MinuteBudget;
  readonly #closing = new AbortController();
  /** The number of responses and notifications on their way to the server. */
  #unanswered = 0;
  /** The reason that the event stream could not be opened. The package's own error does not contain it. */
  #refusal: unknown;
  #hasStarted = false;
  #endReason: string | undefined;

  readonly #tokens: Pick<ServerTokens, "send"> | undefined;

  /** `tokens` adds the token of a sign-in to each request. */
  constructor(
    endpoint: ServerEndpoint,
    { clock, tokens }: { clock: Clock; tokens?: Pick<ServerTokens, "send"> | undefined },
  ) {
    this.#tokens = tokens;
    this.#budget = new MinuteBudget(clock, MAX_MESSAGES_PER_MINUTE);
    this.#inner = new SSEClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
      fetch: (url, init) => this.#fetch(url, init),
      // This is the default, see http_transport.ts.
      redirectPolicy: "same-origin",
    });
  }

  get endReason(): string | undefined {
    return this.#endReason;
  }

  /** Returns no hosts, because a remote server has no sandbox. */
  takeRefusedHosts(): string[] {
    return [];
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  /** Opens the event stream. Resolves when the server has named the address for messages. */
  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.onmessage?.(message);
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => {
      this.onerror?.(error);
      // The package would open another stream after a while, which the server takes for another client.
      if (this.#hasStarted && error instanceof SseError) this.#end("its event stream ended");
    };
    try {
      await this.#inner.start();
      this.#hasStarted = true;
    } catch (error) {
      await this.close();
      throw this.#refusal ?? error;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // A server may send any number of requests that need a response, and each response needs a connection.
    const isAnswer = !("id" in message && "method" in message);
    if (isAnswer && this.#unanswered >= MAX_UNREAD_ANSWERS) {
      throw new RangeError("it does not read our answers");
    }
    if (isAnswer) this.#unanswered++;
    await this.#inner.send(message).finally(() => isAnswer && this.#unanswered--);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#inner.close();
  }

  async #fetch(url: string | URL, init: RequestInit | undefined): Promise<Response> {
    const bounds = {
      onEvent: () => this.#count(),
      signal: this.#closing.signal,
      tokens: this.#tokens,
    };
    if (init?.method === "POST") {
      const reply = await fetchBounded(url, init, bounds);
      // The package's own error has no status.
      if (!reply.ok && reply.status !== 401) throw await toRefusal(reply);
      return reply;
    }
    try {
      const reply = await fetchBounded(url, init, bounds);
      if (!reply.ok) this.#refusal = await toRefusal(reply.clone());
      return reply;
    } catch (error) {
      this.#refusal = error;
      throw error;
    }
  }

  /** Counts an event of the server. Throws RangeError if the limit is exceeded, and closes the connection. */
  #count(): void {
    if (this.#endReason === undefined && this.#budget.take() >= 0) return;
    this.#end(TOO_MANY_MESSAGES);
    throw new RangeError(TOO_MANY_MESSAGES);
  }

  #end(reason: string): void {
    this.#endReason ??= reason;
    // The connection is closed in a microtask, after the package has handled the error.
    queueMicrotask(() => void this.close());
  }
}

async function toRefusal(reply: Response): Promise<SdkHttpError> {
  const { status, statusText } = reply;
  const text = await reply.text().catch(() => "");
  return new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, statusText, {
    status,
    statusText,
    text,
  });
}
