// Counts Ctrl+C. Commands react to the first one, for example by cancelling the run, and end at the second one.
import type { CliApp } from "../context/app.ts";
import { Interrupted } from "../context/exit.ts";

/** The signals of the first two Ctrl+C. After disposal Ctrl+C ends the process again. */
export interface Interrupts extends Disposable {
  /** Aborts at the first Ctrl+C. */
  readonly first: AbortSignal;
  /** Aborts at the second Ctrl+C. */
  readonly second: AbortSignal;
}

/** Listens to Ctrl+C until disposed. */
export function listenToInterrupts(app: CliApp): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const stop = app.onInterrupt(() => {
    const controller = first.signal.aborted ? second : first;
    controller.abort(new Interrupted());
  });
  return { first: first.signal, second: second.signal, [Symbol.dispose]: stop };
}
