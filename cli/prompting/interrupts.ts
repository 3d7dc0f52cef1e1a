// Ctrl+C, counted: the first one asks for something, the second one wants out.
import type { CliApp } from "../app.ts";
import { Interrupted } from "../exit.ts";

/** The signals of two Ctrl+C in a row. Ctrl+C ends the process again once it is disposed. */
export interface Interrupts extends Disposable {
  /** Aborts at the first. */
  readonly first: AbortSignal;
  /** Aborts at the second. */
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
