// Opens the TCP listener, which requires an API key. The service has no TCP listener by default.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isLoopback } from "../../base/web_origin.ts";
import { type ConnectionOptions, Connections } from "./connections.ts";
import type { Listener } from "./listener.ts";

/** The address and the API key of the TCP listener. */
export interface TcpOptions {
  /** The port; 0 selects a free port. */
  port: number;
  /** The name or address to listen on. Default: `127.0.0.1`. */
  host?: string;
  apiKey: string;
}

/** Error: the service cannot listen on the port. */
export class PortUnavailable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** Error: the API key is empty, cannot be sent in a header, or is too short for the host. */
export class ApiKeyUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/** A listener with its bound port. */
export interface TcpListener extends Listener {
  readonly port: number;
}

/** The default host, which only this machine can reach. */
export const DEFAULT_TCP_HOST = "127.0.0.1";

/** The minimum length of a key on a host that other machines reach. */
const SHORTEST_KEY_BEYOND_LOOPBACK = 16;

/**
 * Throws ApiKeyUnusable unless the key is printable ASCII without spaces at its ends, which HTTP transfers unchanged. If
 * other machines can reach the port, the key must also be long, so that it cannot be found by trying.
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

/** Opens a listener on host and port. Throws PortUnavailable. */
export function listenOnTcp(
  { port, host = DEFAULT_TCP_HOST }: Pick<TcpOptions, "port" | "host">,
  options: ConnectionOptions,
): TcpListener {
  const listener = bind(host, port);
  const { port: bound } = listener.addr;
  const connections = new Connections(listener, options);
  return {
    address: `tcp://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => connections.close(),
    abort: () => connections.abort(),
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
    return "the system does not permit it; choose a port above 1023 with --port";
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return "this machine has no such address; choose another with --host";
  }
  if (error instanceof RangeError) return "a port must be a number from 1 to 65535";
  // Deno has no error class for a host name that cannot be resolved.
  return error instanceof Error && error.message.includes("lookup")
    ? "the host name is not known; choose another with --host"
    : String(error instanceof Error ? error.message : error);
}
