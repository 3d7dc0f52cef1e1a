// Defines the time and size limits of MCP servers, and counts their messages.
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";

/** The limits of all servers. Times are in milliseconds. Tests use others. */
export const MCP_LIMITS = {
  /** The time to start the server, initialize it and list its tools. Also the time to list the tools again. */
  connectMs: 30_000,
  /** The maximum time without a progress message in one tool call, including a restart of the server. */
  callMs: 60_000,
  /** The maximum time of one tool call whose server reports progress. */
  longestCallMs: 600_000,
  /** The time between the end of the program's input and SIGTERM. The program should exit in this time. */
  closeMs: 1_000,
  /** The time between SIGTERM and SIGKILL. Also the time to end a remote session. */
  killMs: 2_000,
  /** The maximum number of messages in a minute. It is limited because each message takes time of the service. */
  messagesPerMinute: 10_000,
};

/** The limits of a server. */
export type McpLimits = Readonly<typeof MCP_LIMITS>;

/**
 * The maximum size of one message in bytes. A server that exceeds it is disconnected, so that it cannot exhaust the
 * service's memory.
 */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Returns the reason for disconnecting a server that sends too many messages, as a clause. */
export function describeTooMany({ messagesPerMinute }: McpLimits): string {
  return `it sends over ${messagesPerMinute} messages a minute`;
}

/** A limit of events per minute. The counter restarts every minute. */
export class MinuteBudget {
  readonly #clock: Clock;
  readonly #most: number;
  #since: number;
  #left: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
    this.#since = clock.now();
    this.#left = most;
  }

  /**
   * Counts one event and returns the number of events that remain in this minute. A negative result means that the limit is
   * exceeded.
   */
  take(): number {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= MINUTE_MS) {
      this.#since = now;
      this.#left = this.#most;
    }
    return --this.#left;
  }
}
