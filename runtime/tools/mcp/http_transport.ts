// MCP messages over streamable HTTP: the client package's transport, with what it leaves open. A request whose stream ends
// without an answer fails, a cancelled request is hung up, replies are bounded, and waiting goes by our Clock.
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../clock.ts";
import { firstOf } from "../../first_of.ts";
import { boundReply } from "./bounded_reply.ts";
import { MAX_MESSAGE_BYTES, type McpLimits } from "./mcp_limits.ts";
import type { ServerEndpoint } from "./server_definition.ts";
import type { ServerLink } from "./server_link.ts";

/** JSON-RPC's code for an error of the implementation. */
const INTERNAL_ERROR = -32603;

/** Marks (as an error's data) the answer that this side gives itself, when none comes. */
export const UNANSWERED = "unanswered";

/** A connection to a server at a URL. */
export class HttpTransport implements ServerLink {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  /** As the client package's transport: one HTTP request for each message. */
  readonly hasPerRequestStream = true;
  /** Nothing is known of a program far away but its answers. */
  readonly end = undefined;
  readonly stderr = "";
  readonly #inner: Transport & Pick<StreamableHTTPClientTransport, "terminateSession">;
  readonly #clock: Clock;
  readonly #limits: McpLimits;
  readonly #closing = new AbortController();
  /** What hangs each request up that has no answer yet, by its id. */
  readonly #open = new Map<unknown, AbortController>();

  constructor(endpoint: ServerEndpoint, options: { clock: Clock; limits: McpLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#inner = new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers },
      fetch: async (url, init) => boundReply(await fetch(url, init), MAX_MESSAGE_BYTES),
      // The default, written down because headers hold keys: no redirect leads them to another origin.
      redirectPolicy: "same-origin",
      reconnectionScheduler: (reconnect, delayMs) => this.#schedule(reconnect, delayMs),
    });
  }

  /** The server's name of this session; undefined for a server that keeps none. */
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
    // A subscription's stream looks after its own end.
    if (!isJSONRPCRequest(message) || options.onRequestStreamEnd !== undefined) {
      await this.#inner.send(message, options);
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
      // The caller that hung up has its error already.
      if (!hangUp.signal.aborted) throw error;
    }
  }

  async close(): Promise<void> {
    // A courtesy: a server that does not take it drops the session in time.
    await this.#briefly(() => this.#inner.terminateSession());
    this.#closing.abort();
    for (const hangUp of this.#open.values()) hangUp.abort();
    this.#open.clear();
    await this.#inner.close();
  }

  /** Tells the server, and hangs up without waiting for it: it is cancelled because it does not answer. */
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

  /** Waits for the end of `work`, good or bad, but not for long. */
  async #briefly(work: () => Promise<void>): Promise<void> {
    const within = { clock: this.#clock, ms: this.#limits.killMs };
    await firstOf(work().catch(() => {/* It was worth a try. */}), { within });
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
    this.#clock.sleep(delayMs, signal).then(reconnect, () => {/* Nobody wants it any more. */});
    return () => cancel.abort();
  }
}
