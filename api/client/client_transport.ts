// The ways of a client to the service. On the start-up path of every command.
import { getOverSocket, type PlainAnswer } from "./socket_request.ts";

/** How a client reaches the service: `path` begins with a slash. Rejects with whatever the transport throws. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

/** What a client is made of. */
export interface ClientOptions {
  fetch: Transport;
  /** A shorter way for what is only read: GET of a path. Rejects as the methods of Client do. */
  read?: (path: string, options: { signal?: AbortSignal }) => Promise<PlainAnswer>;
  /** Called by dispose. */
  close?: () => void;
  /** How the waits between reconnections are made. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Through a Unix socket. Nothing is opened before the first call, and no HTTP client of Deno's for what is only read. */
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
