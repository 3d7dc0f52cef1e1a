// Calls functions when a signal ends the process or the process continues after Ctrl+Z, so that commands can restore or
// redraw the terminal.

const ENDING_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

const restores = new Set<() => void>();
let isListening = false;

/** Calls `restore` before SIGTERM or SIGHUP ends the process, until disposed. */
export function beforeEnding(restore: () => void): Disposable {
  restores.add(restore);
  if (!isListening) listen();
  isListening = true;
  return { [Symbol.dispose]: () => void restores.delete(restore) };
}

/** The listeners stay until the process ends: Deno loses a signal that arrives while its last listener is removed. */
function listen(): void {
  for (const name of ENDING_SIGNALS) {
    const listener = () => {
      for (const restore of restores) restore();
      // The listener is removed, so the repeated signal ends the process.
      Deno.removeSignalListener(name, listener);
      Deno.kill(Deno.pid, name);
    };
    Deno.addSignalListener(name, listener);
  }
}

/**
 * Calls `onEnding` before SIGTERM or SIGHUP ends the process, and `onReturn` when the process continues after Ctrl+Z.
 * Disposal ends both.
 */
export function whileMoving(
  options: { onEnding: () => void; onReturn: () => void },
): Disposable {
  const ending = beforeEnding(options.onEnding);
  Deno.addSignalListener("SIGCONT", options.onReturn);
  return {
    [Symbol.dispose]() {
      Deno.removeSignalListener("SIGCONT", options.onReturn);
      ending[Symbol.dispose]();
    },
  };
}
