// Serves HTTP on one accepted connection, with an internal function of Deno. Deno.serve accepts connections itself, without
// limits, and does not report connections that send no request. Decision: use the internal function, because the version of
// Deno is pinned and tests cover it (rejected: node:http, which needs 60 MB and loses a third of the throughput; an own
// HTTP parser).

/** Returns the response to a request. `completed` settles when the response was sent or has failed. */
export type ConnectionHandler = (
  request: Request,
  info: { readonly completed: Promise<void> },
) => Promise<Response>;

/** A connection on which HTTP is served. */
export interface ServedConnection {
  /** Resolves when the connection has ended for any reason. */
  readonly finished: Promise<void>;
  /** Ends the connection after the response to the request under way. */
  end(): void;
  /** Breaks the connection. A connection that is already ending no longer keeps the process alive. */
  abort(): void;
}

type ServeConnection = (
  connection: Deno.Conn,
  signal: Pick<AbortSignal, "addEventListener">,
  handler: ConnectionHandler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Deno.HttpServer;

const { internal } = Deno as unknown as { internal: symbol };
const { serveHttpOnConnection } = (Deno as unknown as Record<
  symbol,
  { serveHttpOnConnection?: ServeConnection } | undefined
>)[internal] ?? {};

/** Serves HTTP on a connection until it ends. */
export function serveConnection(
  connection: Deno.Conn,
  handler: ConnectionHandler,
): ServedConnection {
  if (serveHttpOnConnection === undefined) {
    throw new TypeError(
      `Cannot serve with Deno ${Deno.version.deno}: install the version given in the documentation`,
    );
  }
  let breakOff = () => {};
  // Decision: an object in place of an AbortSignal. The listener that Deno adds to a real signal throws for a connection
  // that has just ended, and nothing can catch this error.
  const signal = {
    addEventListener: (_type: string, listener: () => void) => void (breakOff = listener),
  };
  const server = serveHttpOnConnection(
    connection,
    signal as Pick<AbortSignal, "addEventListener">,
    handler,
    () => new Response(null, { status: 500 }),
    () => {},
  );
  const end = () => server.shutdown().catch(() => {/* The connection has ended. */});
  return {
    // If the connection breaks, end() removes it from Deno's resource table.
    finished: server.finished.catch(end),
    end,
    abort() {
      try {
        breakOff();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error;
        server.unref();
      }
    },
  };
}
