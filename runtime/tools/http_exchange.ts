// One HTTP request and its reply, to an address that the policy has seen. The address is checked and pinned inside the
// connection's own look-up, so that a name cannot lead elsewhere between the check and the connection.
import { lookup as systemLookup } from "node:dns";
import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { describeDenied, FLAGS_REMEDY } from "../denied_permission.ts";
import { createGuardedAgent } from "./guarded_agent.ts";
import { type HttpPolicy, normaliseHost, refuseAddress, refuseHost } from "./http_policy.ts";
import { classifyAddress } from "./ip_address.ts";
import { isNetOpen, mayConnect } from "./net_permission.ts";
import { ToolFailure } from "./tool_failure.ts";

/** One address that a name stands for. */
export interface NamedAddress {
  address: string;
  family: number;
}

/** Resolves a host name; rejects when there is none. */
export type ResolveHost = (host: string) => Promise<NamedAddress[]>;

/** What is sent. */
export interface ExchangeRequest {
  url: URL;
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
}

/** What came back. */
export interface ExchangeReply {
  status: number;
  statusText: string;
  /** Names in lower case; repeated ones joined. */
  headers: Map<string, string>;
  /** Decompressed, and cut at the limit. */
  body: Uint8Array;
  cut: boolean;
}

/** The bounds of one exchange: who may be spoken to, how many bytes are read, and what ends it. */
export interface ExchangeOptions {
  policy: HttpPolicy;
  maxBytes: number;
  signal: AbortSignal;
  resolveHost: ResolveHost;
}

/** The machine's own way to resolve names. */
export function resolveHostBySystem(host: string): Promise<NamedAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<NamedAddress[]>();
  systemLookup(host, { all: true }, (error, addresses) => {
    if (error) reject(error);
    else resolve(addresses);
  });
  return promise;
}

/** Sends one request and reads its reply. Follows no redirect. Throws ToolFailure; rethrows `signal.reason`. */
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
      const { body, cut } = await readBody(message, sent.method, options.maxBytes);
      signal.throwIfAborted();
      const headers = new Map<string, string>();
      for (const [name, value] of Object.entries(message.headers)) {
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
      }
      const { statusCode: status = 0, statusMessage: statusText = "" } = message;
      return { status, statusText, headers, body, cut };
    } finally {
      message.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ToolFailure ? error : new ToolFailure(
      `Cannot request ${sent.url.host}: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
}

function refuseTarget(url: URL, policy: HttpPolicy): string | undefined {
  const host = normaliseHost(url.hostname);
  // A literal address is never looked up.
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
 * A connection of its own: one that is kept alive would not be looked up again. Where Deno's flags allow some names only, a
 * connection to an address that we looked up for one of them is refused: there it looks up itself.
 */
function connectionOf(url: URL, port: number, options: ExchangeOptions): RequestOptions {
  if (isNetOpen()) return { agent: false, lookup: guardedLookup(options, port) };
  const { hostname: host } = url;
  return {
    agent: createGuardedAgent(url.protocol, (address) => {
      const refusal = refuseAddress(options.policy, { host, address, port });
      return refusal === undefined ? undefined : `Cannot request ${host}: ${refusal}.`;
    }),
  };
}

function guardedLookup(options: ExchangeOptions, port: number): LookupFunction {
  return (host, wanted, callback) => {
    options.resolveHost(host).then((addresses) => {
      // One closed address closes the name: which of them a connection takes is chance.
      const refusal = addresses.map(({ address }) =>
        refuseAddress(options.policy, { host, address, port })
      ).find((one) => one !== undefined);
      const first = addresses[0];
      if (refusal !== undefined) {
        return callback(new ToolFailure(`Cannot request ${host}: ${refusal}.`), "");
      }
      if (first === undefined) return callback(new Error("the name has no address"), "");
      if (wanted.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    }).catch((error: Error) => callback(error, ""));
  };
}

async function readBody(
  message: IncomingMessage,
  method: string,
  maxBytes: number,
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
  const body = new Uint8Array(Math.min(size, maxBytes));
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return { body, cut: size > maxBytes };
}

/** Servers may compress although we ask them not to. What comes out is counted, so a small bomb stays small. */
function decoded(message: IncomingMessage): Readable {
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
  ECONNREFUSED: "nobody listens there (connection refused)",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved right now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message.split("\n")[0]?.replace(/\.$/, "") ?? "unknown error";
}
