// Declares the options of a host process in any role.
import type { Clock } from "../../../../base/clock.ts";

/** The standard input and output of the process. */
export interface HostStreams {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
}

/** The options of the function that implements a role. */
export interface HostOptions extends HostStreams {
  clock: Clock;
}
