// The connections of one listener, and their limits: one that sends no request is closed in time, or sooner where others
// need its place, and descriptors are kept back for what the service does itself.
import { backoffMs } from "../../base/backoff.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { hasFreeDescriptors } from "../../base/free_descriptors.ts";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { serveConnection, type ServedConnection } from "./http_connection.ts";
import type { Handler } from "./listener.ts";

/** How long a new connection may take to send the head of its first request. */
export const FIRST_REQUEST_MS = 10 * SECOND_MS;
/** How long a connection may take from one answer to the head of the next request. */
export const NEXT_REQUEST_MS = 2 * MINUTE_MS;
/** The most connections of one address, and of all, on which no request is under way. */
export const MOST_WAITING = { ofOneAddress: 64, ofAll: 256 };
/**
 * The most streams of one listener. What waits for a follower that does not read is a page of its log and a piece that is on its
 * way, so this bounds what waits for all of them: 0.7 MB each, measured. A larger frame is in memory once for all.
 */
export const MOST_STREAMS = 1_024;
/** Descriptors that connections leave to runs: models, files, tools' processes. */
export const KEPT_BACK = 64;
/** So few connections take no others' descriptors. */
const ALWAYS_ADMITTED = 16;
/** Waits before accepting again, where the system refuses. */
const WAITS = { firstMs: 100, longestMs: 5_000 };

/** What connections need. */
export interface ConnectionPorts {
  clock: Clock;
  log: ServiceLog;
}

/** Counts a stream until the returned function is called; undefined where there are as many as may be. */
type BeginStream = (address: string | null) => (() => void) | undefined;

/** Accepts what comes to a listener, and serves it. */
export class Connections {
  readonly #ports: ConnectionPorts;
  readonly #listener: Deno.Listener;
  readonly #handler: Handler;
  readonly #open = new Set<Connection>();
  readonly #closing = new AbortController();
  readonly #accepting: Promise<void>;
  readonly #mostStreams: number;
  #streams = 0;
  #lastToldAt = -Infinity;

  constructor(
    listener: Deno.Listener,
    options: ConnectionPorts & { handler: Handler; mostStreams?: number },
  ) {
    const { handler, mostStreams = MOST_STREAMS, ...ports } = options;
    this.#mostStreams = mostStreams;
    this.#listener = listener;
    this.#handler = handler;
    this.#ports = ports;
    this.#accepting = this.#acceptAll();
  }

  /** Accepts no more; resolves when every request under way has been answered. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#listener.close();
    await this.#accepting;
    await Promise.all([...this.#open].map((one) => one.end()));
  }

  /** Breaks those that are left. */
  cut(): void {
    for (const one of this.#open) one.cut();
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
        // The system has no descriptor for it, or the other side has left already.
        if (failures++ === 0) {
          this.#ports.log.write("warn", "A connection cannot be accepted; trying again", { error });
        }
        await sleepUnlessAborted(this.#ports.clock, backoffMs(failures, WAITS), signal);
      }
    }
  }

  async #serve(accepted: Deno.Conn): Promise<void> {
    const connection = new Connection(accepted, {
      handler: this.#handler,
      beginStream: (address) => this.#beginStream(address),
      ...this.#ports,
    });
    this.#open.add(connection);
    void connection.ended.then(() => this.#open.delete(connection));
    const tooMany = this.#oneTooMany(connection.address);
    if (tooMany === undefined) return;
    tooMany.cut();
    this.#tell("Too many connections without a request: closing the oldest", tooMany.address);
    // No other is accepted before its descriptor is free.
    await tooMany.ended;
  }

  /** The connection that has waited longest for a request, where there are too many. */
  #oneTooMany(address: string | null): Connection | undefined {
    if (this.#open.size <= ALWAYS_ADMITTED) return undefined;
    const waiting = [...this.#open].filter(({ isWaiting }) => isWaiting)
      .sort((a, b) => a.since - b.since);
    const ofAddress = waiting.filter((one) => address !== null && one.address === address);
    const [longest] = ofAddress.length > MOST_WAITING.ofOneAddress
      ? ofAddress
      : waiting.length > MOST_WAITING.ofAll || !hasFreeDescriptors(KEPT_BACK)
      ? waiting
      : [];
    return longest;
  }

  #beginStream(address: string | null): (() => void) | undefined {
    if (this.#streams >= this.#mostStreams) {
      this.#tell(
        `${this.#streams} streams are open, as many as may be: closing the newest`,
        address,
      );
      return undefined;
    }
    this.#streams++;
    return () => void this.#streams--;
  }

  /** Once a minute at most: who floods the service must not flood its log. */
  #tell(message: string, address: string | null): void {
    const { clock, log } = this.#ports;
    if (clock.now() < this.#lastToldAt + MINUTE_MS) return;
    this.#lastToldAt = clock.now();
    log.write("warn", message, {
      open: this.#open.size,
      ...(address !== null && { address }),
    });
  }
}

class Connection {
  /** The other side; null on a socket file, which has one user only. */
  readonly address: string | null;
  readonly ended: Promise<void>;
  /** When it began to wait for a request. */
  since: number;
  readonly #clock: Clock;
  readonly #beginStream: BeginStream;
  readonly #served: ServedConnection;
  readonly #over = new AbortController();
  #requests = 0;
  #hasAsked = false;

  constructor(
    accepted: Deno.Conn,
    { handler, clock, beginStream }: ConnectionPorts & {
      handler: Handler;
      beginStream: BeginStream;
    },
  ) {
    const { remoteAddr } = accepted;
    this.address = "hostname" in remoteAddr ? remoteAddr.hostname : null;
    this.#clock = clock;
    this.#beginStream = beginStream;
    this.since = clock.now();
    // A stream's events go out one by one, as they happen.
    if ("setNoDelay" in accepted) (accepted as Deno.TcpConn).setNoDelay(true);
    this.#served = serveConnection(
      accepted,
      (request, info) => this.#answer(request, { handler, info }),
    );
    this.ended = this.#served.finished.then(() => this.#over.abort());
    void this.#closeInTime();
  }

  /** Whether no request is under way on it. */
  get isWaiting(): boolean {
    return this.#requests === 0;
  }

  /** Ends it when the answer to its request has been sent. */
  async end(): Promise<void> {
    if (this.#hasAsked) this.#served.end();
    else this.#served.cut();
    await this.ended;
  }

  cut(): void {
    this.#served.cut();
  }

  async #answer(
    request: Request,
    { handler, info }: { handler: Handler; info: { completed: Promise<void> } },
  ): Promise<Response> {
    this.#hasAsked = true;
    this.#requests++;
    const response = await handler(request);
    if (response.headers.get("content-type") !== EVENT_STREAM) {
      this.#answered();
      return response;
    }
    info.completed.then(this.#answered, this.#answered);
    const streamEnded = this.#beginStream(this.address);
    if (streamEnded !== undefined) {
      info.completed.then(streamEnded, streamEnded);
      return response;
    }
    await response.body?.cancel();
    // A follower whose stream breaks comes back, and continues after the last frame that it got; after an error it would not.
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
    for (;;) {
      const limit = this.#hasAsked ? NEXT_REQUEST_MS : FIRST_REQUEST_MS;
      const from = this.isWaiting ? this.since : this.#clock.now();
      const left = from + limit - this.#clock.now();
      if (left <= 0) return this.cut();
      if (!await sleepUnlessAborted(this.#clock, left, signal)) return;
    }
  }
}
