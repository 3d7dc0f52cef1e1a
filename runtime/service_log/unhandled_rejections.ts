// Handles unhandled promise rejections. Without it, one mistake in a run or a package would end the service with all its
// runs.
import type { ServiceLog } from "./service_log.ts";

/**
 * Logs each unhandled rejection as an error and prevents the end of the process, until the result is disposed. `target`
 * emits the events.
 */
export function logUnhandledRejections(
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
