// HTTP on one accepted connection. Deno.serve accepts by itself, without limits and without a word about connections
// that send nothing; what it does with each one it accepted, Deno keeps under a name of its own.
// Decision: that name is used, because the version of Deno is pinned and tests cover it (rejected: node:http, which takes
// 60 MB and a third of the throughput; an HTTP parser of our own).

/** Answers one request; `completed` settles when the answer has been sent, or cannot be. */
export type ConnectionHandler = (
  request: Request,
  info: { readonly completed: Promise<void> },
) => Promise<Response>;

/** A connection that is served. */
export interface ServedConnection {
  /** Resolves when the connection has ended, in whatever way. */
  readonly finished: Promise<void>;
  /** Ends it when the request under way has been answered. */
  end(): void;
  /** Breaks it; one that is ending already is left to that, and no longer keeps the process alive. */
  cut(): void;
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
      `Cannot serve with Deno ${Deno.version.deno}: use the version that the documentation names`,
    );
  }
  let breakOff = () => {};
  // Not a real signal: what Deno's listener throws when the connection has just ended would be nobody's to catch.
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
    // A connection that broke keeps its place in Deno's table until it is shut down.
    finished: server.finished.catch(end),
    end,
    cut() {
      try {
        breakOff();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error;
        server.unref();
      }
    },
  };
}
