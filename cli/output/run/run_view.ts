// The interface of a run's view, and the view for programs: one payload per line.
import type { StreamFrame } from "../../../api/client/client.ts";
import type { Output } from "../output.ts";

/** Shows the frames of one execution in their order. */
export interface RunView {
  /** True if it shows replies while they stream. */
  readonly streams: boolean;
  show(frame: StreamFrame): void;
  /** Shows the progress line until the next frame. `why` replaces the line's label. */
  wait(why?: string): void;
  /** Stops the moving line until the next frame or wait(), because a prompt uses the terminal or the run has ended. */
  rest(): void;
}

/** Creates the view for programs. It shows whole replies only. */
export function jsonView(output: Output): RunView {
  return { streams: false, show: ({ data }) => output.jsonLine(data), wait() {}, rest() {} };
}
