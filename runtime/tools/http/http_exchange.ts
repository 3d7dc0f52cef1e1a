// Sends one HTTP request and reads the response. The lookup of the connection checks the address (host_lookup.ts), so the
// address cannot change between the check and the connection.
import { Buffer } from "node:buffer";
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
} from "node:http";
import { Agent as SecureAgent, request as requestHttps } from "node:https";
import { describeDenied, FLAGS_REMEDY } from "../../../base/denied_permission.ts";
import { guardedLookup, type ResolveHost } from "./host_lookup.ts";
import { type HttpPolicy, normalizeHost, refuseAddress, refuseHost } from "./http_policy.ts";
import { classifyAddress } from "./ip_address.ts";
import { isNetUnrestricted, mayConnect } from "./net_permission.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** An HTTP request. */
export interface ExchangeRequest {
  url: URL;
  method: string;
  /** The headers, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
}

/** An HTTP response. */
export interface ExchangeReply {
  status: number;
  statusText: string;
  /** The headers, with lower-case names. The values of repeated headers are joined by commas. */
  headers: Map<string, string>;
  /** The decompressed body, cut at `maxBytes`. */
  body: Uint8Array;
  cut: boolean;
}

/** The limits of a request: the permitted hosts, the maximum size of the body in bytes, and the abort signal. */
export interface ExchangeOptions {
  policy: HttpPolicy;
  maxBytes: number;
  signal: AbortSignal;
  resolveHost: ResolveHost;
  /**
   * Receives the body of a successful response, instead of `body`. The stream ends with an error unless the body is complete
   * and has at most `maxBytes`.
   */
  receiver?: { maxBytes: number; receive(body: AsyncIterable<Uint8Array>): Promise<void> };
}

/**
 * Sends one request and returns the response. Does not follow redirects. Throws ToolFailure, or `signal.reason` on abort.
 */
export async function exchange(
  sent: ExchangeRequest,
  options: ExchangeOptions,
): Promise<ExchangeReply> {
  const { signal } = options;
  signal.throwIfAborted();
  const refusal = refuseTarget(sent.url, options.policy) ?? refusePermission(sent.url);
  if (refusal !== undefined) throw new ToolFailure(`Cannot request ${sent.url.host}: ${refusal}.`);
  try {
    const message = await send(sent, options);
    try {
      const { statusCode: status = 0, statusMessage: statusText = "" } = message;
      const receiver = status >= 200 && status < 300 ? options.receiver : undefined;
      await receiver?.receive(wholeBody(message, receiver.maxBytes));
      const { body, cut } = receiver !== undefined
        ? { body: new Uint8Array(), cut: false }
        : await readBody(message, { method: sent.method, maxBytes: options.maxBytes });
      signal.throwIfAborted();
      const headers = new Map<string, string>();
      for (const [name, value] of Object.entries(message.headers)) {
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
      }
      return { status, statusText, headers, body, cut };
    } finally {
      message.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ToolFailure ? error : new ToolFailure(
      `Cannot request ${sent.url.host}: ${describeConnectionFailure(error)}.`,
      { cause: error },
    );
  }
}

function refuseTarget(url: URL, policy: HttpPolicy): string | undefined {
  const host = normalizeHost(url.hostname);
  // An address needs no name lookup, so it is checked here.
  return refuseHost(policy, host) ??
    (classifyAddress(host) === undefined
      ? undefined
      : refuseAddress(policy, { host, address: host, port: portOf(url) }));
}

function refusePermission(url: URL): string | undefined {
  if (mayConnect(url.hostname, portOf(url))) return undefined;
  return `Inkling was started without --allow-net=${url.hostname}. Name the host under http.allow in config.yaml, ` +
    `then ${FLAGS_REMEDY}`;
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function send(sent: ExchangeRequest, options: ExchangeOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { url } = sent;
  const port = portOf(url);
  const request: ClientRequest = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: sent.method,
    headers: sent.headers,
    ...connectionOf(url, port, options),
    signal: options.signal,
  });
  request.on("response", resolve);
  request.on("error", reject);
  request.on("close", () => reject(new Error("the connection was closed without a reply")));
  request.end(sent.body);
  return promise;
}

/**
 * Returns the options that make the request use a new connection: a kept-alive connection would skip the lookup. If Deno's
 * flags allow only some names, Deno refuses a connection to a resolved address. Then Deno must resolve the name itself.
 */
function connectionOf(url: URL, port: number, options: ExchangeOptions): RequestOptions {
  if (isNetUnrestricted()) {
    return { agent: createDirectAgent(url.protocol), lookup: guardedLookup(options, port) };
  }
  const { hostname: host } = url;
  return {
    agent: createGuardedAgent(url.protocol, (address) => {
      const refusal = refuseAddress(options.policy, { host, address, port });
      return refusal === undefined ? undefined : `Cannot request ${host}: ${refusal}.`;
    }),
  };
}

/**
 * Creates an HTTP agent for one request. `refuse` returns the reason that an address is forbidden. It is called for each
 * address before the connection starts, and again for the connected address. The agent tries only one address: at the
 * second, Deno forgets that the name was allowed (measured with 2.9.6), and throws an error that cannot be caught.
 */
function createGuardedAgent(
  protocol: string,
  refuse: (address: string) => string | undefined,
): Agent {
  const agent = createDirectAgent(protocol);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const single = { ...options, autoSelectFamily: false };
    const stream = connect(single, callback);
    // The HTTP and the HTTPS agent create sockets. The declared type allows other streams for other agents.
    const socket = stream as Socket;
    const check = (address: string) => {
      const refusal = refuse(address);
      if (refusal !== undefined) socket.destroy(new ToolFailure(refusal));
    };
    // The listener is added here, because the lookup may end before the request's `socket` event.
    socket.on("lookup", (error: Error | null, address: string) => {
      if (error === null) check(address);
    });
    socket.on("connect", () => check(socket.remoteAddress ?? ""));
    return stream;
  };
  return agent;
}

/**
 * Creates an HTTP agent that keeps no connection and uses no proxy. A proxy would resolve the name again, unchecked. With
 * NODE_USE_ENV_PROXY=1, Deno uses a proxy even with `agent: false`; only empty proxy variables prevent it (measured with
 * 2.9.6).
 */
function createDirectAgent(protocol: string): Agent {
  const options = { proxyEnv: {} };
  return protocol === "https:" ? new SecureAgent(options) : new Agent(options);
}

/** The body stream and the headers of an HTTP response. */
type ReplyStream = Readable & Pick<IncomingMessage, "headers">;

/**
 * Returns at most `maxBytes` of the decompressed body. `cut` is true if the body is longer. Rejects if the compressed body
 * is corrupt.
 */
async function readBody(
  message: ReplyStream,
  { method, maxBytes }: { method: string; maxBytes: number },
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = method === "HEAD" ? message : decoded(message);
  for await (const chunk of stream) {
    const piece: Uint8Array = chunk;
    chunks.push(piece.subarray(0, maxBytes - size));
    size += piece.length;
    if (size > maxBytes) {
      stream.destroy();
      break;
    }
  }
  return { body: Buffer.concat(chunks), cut: size > maxBytes };
}

/** Returns the chunks of a body. Throws ToolFailure if it is too long or incomplete. */
async function* wholeBody(message: ReplyStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of decoded(message)) {
      const piece: Uint8Array = chunk;
      size += piece.length;
      if (size > maxBytes) {
        throw new ToolFailure(
          `The body has more than ${maxBytes / 1024 / 1024} MB. It was not saved.`,
        );
      }
      yield piece;
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const reason = describeConnectionFailure(error);
    throw new ToolFailure(`The body ended after ${size} bytes: ${reason}. It was not saved.`, {
      cause: error,
    });
  }
}

/**
 * Returns the stream of the decompressed body. Servers may compress although the request forbids it. The size limit counts
 * decompressed bytes, so that a small compressed body cannot fill the memory.
 */
function decoded(message: ReplyStream): Readable {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase();
  const decoder = encoding === "gzip" || encoding === "x-gzip"
    ? createGunzip()
    : encoding === "deflate"
    ? createInflate()
    : encoding === "br"
    ? createBrotliDecompress()
    : undefined;
  if (decoder === undefined) return message;
  message.on("error", (error) => decoder.destroy(error));
  return message.pipe(decoder);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved right now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
};

/** Returns the reason of a failed connection, as a clause. */
function describeConnectionFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message.split("\n")[0]?.replace(/\.$/, "") ?? "unknown error";
}
