// Promises that were rejected while nobody waited for them. In a service that would end the process, and every run in it,
// for a mistake in one of them, or in a package.
import type { ServiceLog } from "./service_log.ts";

/** Writes each to the log as an error, and keeps the process running, until disposed. `target`: where they are reported. */
export function logStrayRejections(
  log: ServiceLog,
  { target = globalThis }: { target?: EventTarget } = {},
): Disposable {
  const onRejection: EventListener = (event) => {
    event.preventDefault();
    const error: unknown = Reflect.get(event, "reason");
    log.write("error", "Unhandled error inside Inkling; please report it", {
      error,
    });
  };
  target.addEventListener("unhandledrejection", onRejection);
  return {
    [Symbol.dispose]: () => target.removeEventListener("unhandledrejection", onRejection),
  };
}
