// Declares the options of a host process in any role.
import type { Clock } from "../../../../base/clock.ts";

/** The standard input and output of the process, and its clock. */
export interface HostOptions {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
  clock: Clock;
}
