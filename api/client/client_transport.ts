// Defines the transports of the client: one for all HTTP requests, and a faster one for GET over a Unix socket. Every
// command loads this file at start-up.
import { ServiceUnreachable } from "./client_errors.ts";
import { openHttpClient } from "./http_client.ts";

/** Sends one HTTP request to the service. `path` has a leading slash. Rejects with the transport's error. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

/** The options of a client. */
export interface ClientOptions {
  fetch: Transport;
  /** A faster transport for GET. Rejects with the errors of the client's methods. */
  read?: (path: string, options: { signal?: AbortSignal }) => Promise<PlainAnswer>;
  /** The headers of every request that `fetch` sends. */
  headers?: Readonly<Record<string, string>>;
  /** Called when the client is disposed. */
  close?: () => void;
  /** Waits between two reconnects. If absent, the client waits in real time. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Returns the transport over a Unix socket. Connects at the first call. GET requests do not need Deno's HTTP client, which
 * is slow to load.
 */
export function socketTransport(socketFile: string): ClientOptions {
  let client: Deno.HttpClient | undefined;
  return {
    read: (path, options) => getOverSocket(socketFile, path, options),
    fetch(path, init) {
      client ??= openHttpClient(socketFile);
      return fetch(`http://localhost${path}`, { ...init, client });
    },
    close: () => client?.close(),
  };
}

/** The status and the text of a response. */
export interface PlainAnswer {
  status: number;
  text: string;
}

/**
 * Sends GET `path` and returns the response. `path` is encoded, with a leading slash. Throws ServiceUnreachable if nothing
 * listens or the connection breaks, and the reason of an aborted signal.
 *
 * Uses HTTP/1.0, so that the response ends with the connection and needs no decoding. Decision: no fetch(), because loading
 * it takes a third of a command's start-up time.
 */
export async function getOverSocket(
  socketFile: string,
  path: string,
  { signal }: { signal?: AbortSignal },
): Promise<PlainAnswer> {
  if (/[^!-~]/.test(path)) throw new TypeError(`Not encoded: ${path}`);
  signal?.throwIfAborted();
  try {
    return readAnswer(await exchange(socketFile, path, signal));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ServiceUnreachable) throw error;
    // The cause may be Deno's error for a denied permission, as in the errors of fetch().
    throw new ServiceUnreachable("The service does not answer", { cause: error });
  }
}

/** Sends the request on a new connection and returns all bytes of the response. */
async function exchange(
  socketFile: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const connection = await Deno.connect({ transport: "unix", path: socketFile });
  let isOpen = true;
  const close = () => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  signal?.addEventListener("abort", close, { once: true });
  try {
    signal?.throwIfAborted();
    await writeAll(connection, `GET ${path} HTTP/1.0\r\nhost: localhost\r\naccept: */*\r\n\r\n`);
    return await readAll(connection);
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

async function writeAll(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length;) {
    offset += await connection.write(bytes.subarray(offset));
  }
}

async function readAll(connection: Deno.Conn): Promise<Uint8Array> {
  let bytes = new Uint8Array(16_384);
  let length = 0;
  for (;;) {
    if (length === bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
    const count = await connection.read(bytes.subarray(length));
    if (count === null) return bytes.subarray(0, length);
    length += count;
  }
}

function readAnswer(bytes: Uint8Array): PlainAnswer {
  const [head = "", rest] = new TextDecoder().decode(bytes.subarray(0, MOST_HEAD))
    .split("\r\n\r\n", 2);
  const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(head) ?? [];
  const [, announced] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  // The head is ASCII, so its length in characters is its length in bytes.
  const body = bytes.subarray(head.length + 4);
  const isWhole = rest !== undefined && body.length >= Number(announced ?? 0);
  if (status === undefined || !isWhole) {
    throw new ServiceUnreachable("The connection to the service broke");
  }
  return { status: Number(status), text: new TextDecoder().decode(body) };
}

/** The maximum length of a response head in bytes. */
const MOST_HEAD = 16_384;
