// What a host is run with, whatever its role.
import type { Clock } from "../../../../base/clock.ts";

/** The process's standard input and output. */
export interface HostStreams {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
}

/** What each role gets. */
export interface HostOptions extends HostStreams {
  clock: Clock;
}
