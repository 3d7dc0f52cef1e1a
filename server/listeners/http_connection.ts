// HTTP on one accepted connection, by an internal function of Deno. Deno.serve accepts connections itself, without limits,
// and does not report those that send no request.
// Decision: use the internal function, because the version of Deno is pinned and tests cover it (rejected: node:http, which
// needs 60 MB and loses a third of the throughput; an own HTTP parser).

/** Answers one request. `completed` settles when the response has been sent or has failed. */
export type ConnectionHandler = (
  request: Request,
  info: { readonly completed: Promise<void> },
) => Promise<Response>;

/** A connection under HTTP. */
export interface ServedConnection {
  /** Resolves when the connection has ended for any reason. */
  readonly finished: Promise<void>;
  /** Ends the connection after the response to the request under way. */
  end(): void;
  /** Breaks the connection. One that is ending already no longer keeps the process alive. */
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

/** Serves one connection until it ends. */
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
  // Decision: no real AbortSignal, because nobody could catch the error of Deno's listener for a connection that just ended.
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
  const end = () => server.shutdown().catch(() => {/* It has ended. */});
  return {
    // Without shutdown() a broken connection stays in Deno's resource table.
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
