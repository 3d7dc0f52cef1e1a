// The view of a running execution. For programs: the payloads of its frames, one on each line.
import type { StreamFrame } from "../../../api/client/client.ts";
import type { Output } from "../output.ts";

/** Shows the frames of one execution in their order. */
export interface RunView {
  /** Whether it has a use for deltas. */
  readonly streams: boolean;
  show(frame: StreamFrame): void;
  /** Frames are waited for from now on. `why`: what keeps them from coming, as a beginning of a line. */
  wait(why?: string): void;
  /** Nothing moves until the next frame, or until it waits again: somebody else has the terminal, or the run is over. */
  rest(): void;
}

/** The view for a program. It shows no reply before it is whole. */
export function jsonView(output: Output): RunView {
  return { streams: false, show: ({ data }) => output.jsonLine(data), wait() {}, rest() {} };
}
