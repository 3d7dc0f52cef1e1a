// The signals that ask the service to stop, from the moment on at which it leaves something to put in order.

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Until disposed, calls `listener` at each such signal, with how many have come. They have no other effect. */
export function onStopSignals(listener: (count: number) => void): Disposable {
  let count = 0;
  const onSignal = () => listener(++count);
  for (const name of STOP_SIGNALS) Deno.addSignalListener(name, onSignal);
  return {
    [Symbol.dispose]() {
      for (const name of STOP_SIGNALS) Deno.removeSignalListener(name, onSignal);
    },
  };
}
