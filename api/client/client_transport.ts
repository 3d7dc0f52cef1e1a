// The transports of the client. Every command loads this file at start-up.
import { getOverSocket, type PlainAnswer } from "./socket_request.ts";

/** Sends one HTTP request to the service. `path` has a leading slash. Rejects with the transport's error. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

/** The options of a client. */
export interface ClientOptions {
  fetch: Transport;
  /** A faster transport for GET. Rejects with the errors of Client's methods. */
  read?: (path: string, options: { signal?: AbortSignal }) => Promise<PlainAnswer>;
  /** Called when the client is disposed. */
  close?: () => void;
  /** The timer of the waits between reconnects. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Returns the transport over a Unix socket. It opens nothing before the first call, and GET needs no HTTP client of Deno. */
export function socketTransport(socketFile: string): ClientOptions {
  let client: Deno.HttpClient | undefined;
  return {
    read: (path, options) => getOverSocket(socketFile, path, options),
    fetch(path, init) {
      client ??= Deno.createHttpClient({ proxy: { transport: "unix", path: socketFile } });
      return fetch(`http://localhost${path}`, { ...init, client });
    },
    close: () => client?.close(),
  };
}
