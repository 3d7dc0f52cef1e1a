// Restores the terminal before a signal ends the process, and redraws it after the process was stopped.

const ENDING_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Calls `restore` before a signal ends the process, until disposed. */
export function beforeEnding(restore: () => void): Disposable {
  const listeners = ENDING_SIGNALS.map((name) => {
    const listener = () => {
      restore();
      stop();
      // Without a listener the signal ends the process.
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

/** Calls `onEnding` before a signal ends the process, and `onReturn` when it continues after Ctrl+Z, until disposed. */
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
