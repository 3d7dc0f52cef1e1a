// The options of a host in any role.
import type { Clock } from "../../../../base/clock.ts";

/** The process's standard input and output. */
export interface HostStreams {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
}

/** The options of each role. */
export interface HostOptions extends HostStreams {
  clock: Clock;
}
