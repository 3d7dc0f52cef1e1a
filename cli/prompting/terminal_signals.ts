// Signals that leave a terminal to others: before they do, it is put in order.

const ENDING_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Until disposed, a signal that ends the process calls `restore` first. */
export function beforeEnding(restore: () => void): Disposable {
  const listeners = ENDING_SIGNALS.map((name) => {
    const listener = () => {
      restore();
      stop();
      // Without a listener it does what it always does.
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

/** Until disposed, notifies what draws on the terminal when the process ends, or continues after Ctrl+Z. */
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
