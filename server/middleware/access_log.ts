// One line of the service log per request.
import type { MiddlewareHandler } from "hono";
import type { Clock } from "../../base/clock.ts";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";

/**
 * Logs method, path (without the query), status and the milliseconds until the response began; `via` tells the
 * listener.
 */
export function accessLog(
  options: { log: ServiceLog; clock: Clock; via: string },
): MiddlewareHandler {
  const { log, clock, via } = options;
  return async (c, next) => {
    const start = clock.now();
    await next();
    log.write("debug", "request", {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: clock.now() - start,
      via,
    });
  };
}
