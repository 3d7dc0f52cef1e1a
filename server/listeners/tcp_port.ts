// The TCP listener: opt-in, behind a key.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { type ConnectionPorts, Connections } from "./connections.ts";
import type { Handler, Listener } from "./listener.ts";

/** Where to listen, and the key that opens the API there. */
export interface TcpOptions {
  /** 0 takes a free one. */
  port: number;
  /** `127.0.0.1` unless given. */
  host?: string;
  apiKey: string;
}

/** The port cannot be listened on. */
export class PortUnavailable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** The key is empty or cannot be sent in a header: nobody could ever use it. */
export class ApiKeyUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/** A listener with its bound port. */
export interface TcpListener extends Listener {
  readonly port: number;
}

/** Reached from this machine only. */
export const DEFAULT_TCP_HOST = "127.0.0.1";

/** So many characters of chance that nobody finds them by trying. */
const SHORTEST_KEY_BEYOND_LOOPBACK = 16;

/**
 * Throws ApiKeyUnusable. Printable ASCII without spaces at its ends is what arrives as it was sent; where other machines
 * reach the port, a key must be long enough that trying them all is hopeless.
 */
export function requireUsableKey({ apiKey, host = DEFAULT_TCP_HOST }: TcpOptions): void {
  if (apiKey === "") throw new ApiKeyUnusable("Cannot listen on TCP: the API key is empty");
  if (!/^[!-~]([ -~]*[!-~])?$/.test(apiKey)) {
    throw new ApiKeyUnusable(
      "Cannot listen on TCP: the API key must be printable ASCII without spaces at its ends",
    );
  }
  if (!isLoopback(host) && apiKey.length < SHORTEST_KEY_BEYOND_LOOPBACK) {
    throw new ApiKeyUnusable(
      `Cannot listen on ${host}: other machines reach it, so the API key needs at least ` +
        `${SHORTEST_KEY_BEYOND_LOOPBACK} characters, and it has ${apiKey.length}; ` +
        '"openssl rand -hex 16" makes a good one',
    );
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Listens on host and port. Throws PortUnavailable. */
export function listenOnTcp(
  { port, host = DEFAULT_TCP_HOST }: Pick<TcpOptions, "port" | "host">,
  options: ConnectionPorts & { handler: Handler },
): TcpListener {
  const listener = bind(host, port);
  const { port: bound } = listener.addr;
  const connections = new Connections(listener, options);
  return {
    address: `tcp://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => connections.close(),
    cut: () => connections.cut(),
  };
}

function bind(hostname: string, port: number): Deno.TcpListener {
  try {
    return Deno.listen({ port, hostname });
  } catch (cause) {
    throw new PortUnavailable(`Cannot listen on ${hostname}:${port}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return "the port is in use; choose another with --port";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "it is not permitted; ports below 1024 are the system's";
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return "this machine has no such address; choose another with --host";
  }
  if (error instanceof RangeError) return "a port is a number from 1 to 65535";
  // The resolver has no error class of its own.
  return error instanceof Error && error.message.includes("lookup")
    ? "the host name is not known; choose another with --host"
    : String(error instanceof Error ? error.message : error);
}
