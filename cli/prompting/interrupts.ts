// Counts the presses of Ctrl+C. A command reacts to the first press, for example by cancelling the run, and ends at the
// second.
import type { CliApp } from "../context/app.ts";
import { Interrupted } from "../context/exit.ts";

/** Signals for the first two presses of Ctrl+C. After disposal, Ctrl+C ends the process. */
export interface Interrupts extends Disposable {
  /** Aborts at the first press of Ctrl+C. */
  readonly first: AbortSignal;
  /** Aborts at the second press of Ctrl+C. */
  readonly second: AbortSignal;
}

/** Starts to count presses of Ctrl+C, which do not end the process until the result is disposed. */
export function listenToInterrupts(app: CliApp): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const stop = app.onInterrupt(() => {
    const controller = first.signal.aborted ? second : first;
    controller.abort(new Interrupted());
  });
  return { first: first.signal, second: second.signal, [Symbol.dispose]: stop };
}
