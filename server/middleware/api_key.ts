// The key that every request over TCP must bring. The Unix socket needs none: its file mode keeps others out.
import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { RequestRefused } from "../errors.ts";

/** The one path that answers without a key: a liveness check tells nothing. */
const OPEN_PATH = "/health";

/**
 * Refuses with 401 whoever does not send `X-API-Key`. Where `explain` has a response for the request, the refusal is
 * that one: a person with a browser needs other words than a program.
 */
export function apiKey(
  options: { key: string; explain?: (request: Request) => Response | undefined },
): MiddlewareHandler {
  const expected = digest(options.key);
  return async (c, next) => {
    // Digests have one length, so that the comparison takes the same time for every key.
    const given = digest(c.req.header("x-api-key") ?? "");
    if (c.req.path !== OPEN_PATH && !timingSafeEqual(given, expected)) {
      const explanation = options.explain?.(c.req.raw);
      if (explanation !== undefined) return explanation;
      throw new RequestRefused(401, "Invalid or missing API key");
    }
    await next();
  };
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
