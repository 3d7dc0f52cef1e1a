// Calls functions when a signal ends the process or the process continues after Ctrl+Z, so that commands can restore or
// redraw the terminal.

const ENDING_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Calls `restore` before SIGTERM or SIGHUP ends the process, until disposed. */
export function beforeEnding(restore: () => void): Disposable {
  const listeners = ENDING_SIGNALS.map((name) => {
    const listener = () => {
      restore();
      stop();
      // The listener is removed, so the repeated signal ends the process.
      Deno.kill(Deno.pid, name);
    };
    return { name, listener };
  });
  const stop = () => {
    for (const { name, listener } of listeners) Deno.removeSignalListener(name, listener);
  };
  for (const { name, listener } of listeners) Deno.addSignalListener(name, listener);
  return { [Symbol.dispose]: stop };
}

/**
 * Calls `onEnding` before SIGTERM or SIGHUP ends the process, and `onReturn` when the process continues after Ctrl+Z.
 * Disposal removes both listeners.
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
