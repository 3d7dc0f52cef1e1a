// Manages the connections of a listener and limits their number. Closes connections that send no request, and reserves file
// descriptors for the service's own work.
import { backoffMs } from "../../base/backoff.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { hasFreeDescriptors } from "../../base/free_descriptors.ts";
import type { Context } from "../../runtime/config/context.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { serveConnection, type ServedConnection } from "./http_connection.ts";
import type { Handler } from "./listener.ts";

/** The milliseconds within which a new connection must send the head of its first request. */
export const FIRST_REQUEST_MS = 10 * SECOND_MS;
/** The milliseconds from a response to the head of the connection's next request. */
export const NEXT_REQUEST_MS = 2 * MINUTE_MS;
/**
 * The milliseconds after these limits in which a request still counts. While the machine sleeps or the process does not run,
 * the limits pass, and the process has to read the requests that have arrived meanwhile.
 */
export const GRACE_MS = SECOND_MS;
/** The maximum number of connections without a request under way, per client address and in total. */
export const MOST_WAITING = { ofOneAddress: 64, ofAll: 256 };
/**
 * The maximum number of streams on one listener. The limit bounds memory: a stream buffers 0.7 MB while its client does not
 * read (measured). The text of a large frame is in memory only once, for all streams.
 */
export const MOST_STREAMS = 1_024;
/** The number of file descriptors that connections leave for executions: for models, files and tool processes. */
export const RESERVED_DESCRIPTORS = 64;
/** The number of connections that are accepted even if few file descriptors are free. */
const ALWAYS_ADMITTED = 16;
/** The delays before the next accept after failed ones. */
const WAITS = { firstMs: 100, longestMs: 5_000 };

/** The dependencies of a listener's connections, and the handler of their requests. */
export interface ConnectionOptions extends Pick<Context, "clock" | "log"> {
  handler: Handler;
  mostStreams?: number;
}

/** Counts a stream until the returned function is called. Returns undefined at the limit. */
type CountStream = (address: string | null) => (() => void) | undefined;

/** Accepts and serves the connections of a listener. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #listener: Deno.Listener;
  readonly #open = new Set<Connection>();
  readonly #closing = new AbortController();
  readonly #accepting: Promise<void>;
  #streams = 0;
  #lastWarnedAt = -Infinity;

  constructor(listener: Deno.Listener, options: ConnectionOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#accepting = this.#acceptAll();
  }

  /** Stops accepting connections. Resolves when every request in progress has its response. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#listener.close();
    await this.#accepting;
    await Promise.all([...this.#open].map((one) => one.end()));
  }

  /** Breaks the remaining connections. */
  abort(): void {
    for (const one of this.#open) one.abort();
  }

  async #acceptAll(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      try {
        const accepted = await this.#listener.accept();
        failures = 0;
        await this.#serve(accepted);
      } catch (error) {
        if (signal.aborted) return;
        // The accept failed: no file descriptor is free, or the client has already left.
        if (failures++ === 0) {
          this.#options.log.write("warn", "Cannot accept a connection; retrying", { error });
        }
        await sleepUnlessAborted(this.#options.clock, backoffMs(failures, WAITS), signal);
      }
    }
  }

  async #serve(accepted: Deno.Conn): Promise<void> {
    const countStream: CountStream = (address) => this.#countStream(address);
    const connection = new Connection(accepted, { ...this.#options, countStream });
    this.#open.add(connection);
    void connection.ended.then(() => this.#open.delete(connection));
    const excess = this.#findExcess(connection.address);
    if (excess === undefined) return;
    excess.abort();
    this.#warn("Too many connections without a request: closing the oldest", excess.address);
    // Wait until the closed connection's file descriptor is free.
    await excess.ended;
  }

  /** Returns the connection that has waited longest for a request, if too many are waiting; otherwise undefined. */
  #findExcess(address: string | null): Connection | undefined {
    if (this.#open.size <= ALWAYS_ADMITTED) return undefined;
    const waiting = [...this.#open].filter(({ isWaiting }) => isWaiting)
      .sort((a, b) => a.since - b.since);
    const ofAddress = waiting.filter((one) => address !== null && one.address === address);
    const [longest] = ofAddress.length > MOST_WAITING.ofOneAddress
      ? ofAddress
      : waiting.length > MOST_WAITING.ofAll || !hasFreeDescriptors(RESERVED_DESCRIPTORS)
      ? waiting
      : [];
    return longest;
  }

  #countStream(address: string | null): (() => void) | undefined {
    const { mostStreams = MOST_STREAMS } = this.#options;
    if (this.#streams >= mostStreams) {
      this.#warn(`Too many streams (limit: ${mostStreams}): closing the newest`, address);
      return undefined;
    }
    this.#streams++;
    return () => void this.#streams--;
  }

  /** Logs a warning at most once a minute, so that a flood of connections does not fill the log. */
  #warn(message: string, address: string | null): void {
    const { clock, log } = this.#options;
    if (clock.now() < this.#lastWarnedAt + MINUTE_MS) return;
    this.#lastWarnedAt = clock.now();
    log.write("warn", message, {
      open: this.#open.size,
      ...(address !== null && { address }),
    });
  }
}

class Connection {
  /** The client's address; null on a socket file, which only one user can open. */
  readonly address: string | null;
  readonly ended: Promise<void>;
  /** The time at which the connection began to wait for a request, in milliseconds. */
  since: number;
  readonly #clock: ConnectionOptions["clock"];
  readonly #countStream: CountStream;
  readonly #served: ServedConnection;
  readonly #over = new AbortController();
  #requests = 0;
  #hasAsked = false;

  constructor(
    accepted: Deno.Conn,
    { handler, clock, countStream }: ConnectionOptions & { countStream: CountStream },
  ) {
    const { remoteAddr } = accepted;
    this.address = "hostname" in remoteAddr ? remoteAddr.hostname : null;
    this.#clock = clock;
    this.#countStream = countStream;
    this.since = clock.now();
    // Switches off the delay of small packets, so that each event of a stream is sent at once.
    if ("setNoDelay" in accepted) (accepted as Deno.TcpConn).setNoDelay(true);
    this.#served = serveConnection(
      accepted,
      (request, info) => this.#answer(request, { handler, info }),
    );
    this.ended = this.#served.finished.then(() => this.#over.abort());
    void this.#closeInTime();
  }

  /** True if no request is under way. */
  get isWaiting(): boolean {
    return this.#requests === 0;
  }

  /** Ends the connection after the response to its request. */
  async end(): Promise<void> {
    if (this.#hasAsked) this.#served.end();
    else this.#served.abort();
    await this.ended;
  }

  abort(): void {
    this.#served.abort();
  }

  async #answer(
    request: Request,
    { handler, info }: { handler: Handler; info: { completed: Promise<void> } },
  ): Promise<Response> {
    this.#hasAsked = true;
    this.#requests++;
    const response = await handler(request, { address: this.address });
    if (response.headers.get("content-type") !== EVENT_STREAM) {
      this.#answered();
      return response;
    }
    info.completed.then(this.#answered, this.#answered);
    const streamEnded = this.#countStream(this.address);
    if (streamEnded !== undefined) {
      info.completed.then(streamEnded, streamEnded);
      return response;
    }
    await response.body?.cancel();
    // Break the stream instead of sending an error status: a client reconnects after a broken stream and continues after
    // its last frame, but it does not reconnect after an error status.
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error("There are too many streams")),
    });
    return new Response(broken, response);
  }

  readonly #answered = () => {
    this.#requests--;
    this.since = this.#clock.now();
  };

  async #closeInTime(): Promise<void> {
    const { signal } = this.#over;
    for (let isLate = false;;) {
      const limit = this.#hasAsked ? NEXT_REQUEST_MS : FIRST_REQUEST_MS;
      const from = this.isWaiting ? this.since : this.#clock.now();
      const left = from + limit - this.#clock.now();
      if (left <= 0 && isLate) return this.abort();
      isLate = left <= 0;
      if (!await sleepUnlessAborted(this.#clock, isLate ? GRACE_MS : left, signal)) return;
    }
  }
}
