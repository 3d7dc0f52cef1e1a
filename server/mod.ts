// The service: opens the listeners over one application, and takes everything down in order when it is time.
import type { Runtime } from "../runtime/runtime.ts";
import { createApp } from "./app.ts";
import { toErrorResponse } from "./errors.ts";
import { Lifecycle, type StopReason } from "./lifecycle.ts";
import { type Listener, listenOnSocket } from "./unix_socket.ts";

export type { StopReason } from "./lifecycle.ts";
export { SocketUnavailable } from "./unix_socket.ts";

/** How long running executions may go on after the stop was asked for. */
const RUN_GRACE_MS = 8_000;
/** How long requests in flight and streams may take to end after that. */
const CLOSE_GRACE_MS = 2_000;

/** How the service runs. */
export interface ServeOptions {
  /** Never stop for want of work. */
  keepAlive?: boolean;
  /** Milliseconds with nothing to do after which the service stops; five minutes unless given. */
  idleTimeoutMs?: number;
}

/** A service that listens. */
export interface Service {
  /** Where it listens: `unix:/path`. */
  readonly transports: readonly string[];
  /** Resolves when nothing listens any more, with the reason. The runtime is stopped but not yet disposed. */
  readonly finished: Promise<StopReason>;
  /** Asks it to stop; resolves with `finished`. */
  shutdown(reason: StopReason): Promise<StopReason>;
}

/**
 * Serves a runtime on its Unix socket until a request, a signal (which the caller passes on through `shutdown`) or
 * idleness ends it. Throws SocketUnavailable. The caller disposes the runtime after `finished`.
 */
export async function serve(runtime: Runtime, options: ServeOptions = {}): Promise<Service> {
  const { keepAlive = false, idleTimeoutMs } = options;
  const lifecycle = new Lifecycle({
    runtime,
    keepAlive,
    serviceMode: keepAlive,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  });
  const listeners: Listener[] = [];
  const transports = () => listeners.map(({ address }) => address);
  const app = createApp({ runtime, lifecycle, transports });
  const handler = async (request: Request) => {
    try {
      return await app.fetch(request);
    } catch (error) {
      return toErrorResponse(error, runtime.log);
    }
  };
  listeners.push(await listenOnSocket(runtime.directories.socketFile, handler));
  runtime.log.write("info", "Listening", { on: transports().join(", ") });
  const finished = finish(runtime, lifecycle, listeners);
  return {
    transports: transports(),
    finished,
    shutdown(reason) {
      lifecycle.requestStop(reason);
      return finished;
    },
  };
}

async function finish(
  runtime: Runtime,
  lifecycle: Lifecycle,
  listeners: readonly Listener[],
): Promise<StopReason> {
  const idle = lifecycle.watchIdle();
  const reason = await lifecycle.stopRequested;
  await idle;
  runtime.log.write("info", "Stopping", { reason });
  try {
    await runtime.stop({ graceMs: RUN_GRACE_MS });
  } finally {
    lifecycle.endStreams();
    await Promise.all(listeners.map((listener) => close(listener, runtime)));
  }
  return reason;
}

/** Closes one listener. A client that stopped reading would hold it for ever: after the grace it is left behind. */
async function close(listener: Listener, runtime: Runtime): Promise<void> {
  const { address } = listener;
  const closed = new AbortController();
  const tooLong = runtime.clock.sleep(CLOSE_GRACE_MS, closed.signal).then(() => {
    runtime.log.write("warn", "Leaving connections behind that do not end", { on: address });
    listener.abandon();
  }, (error) => {
    if (!closed.signal.aborted) throw error;
  });
  try {
    await Promise.race([listener.close(), tooLong]);
  } finally {
    closed.abort();
  }
}
