// Defines the interface of a run's view, and implements the view for programs, which prints each frame as a line of JSON.
import type { StreamFrame } from "../../../api/client/client.ts";
import type { Output } from "../output.ts";

/** A view that prints the frames of one execution in their order. */
export interface RunView {
  /** True if the view prints replies while they stream. */
  readonly streams: boolean;
  show(frame: StreamFrame): void;
  /** Shows the progress line until the next frame. The default label of the line is replaced by `why`. */
  wait(why?: string): void;
  /**
   * Hides the progress line until the next frame or wait(). Called when a prompt uses the terminal, or the run has ended.
   */
  rest(): void;
}

/** Returns the view for programs: one line of JSON for each frame. It prints only complete replies. */
export function jsonView(output: Output): RunView {
  return { streams: false, show: ({ data }) => output.jsonLine(data), wait() {}, rest() {} };
}
