// The key that every request over TCP must bring. The Unix socket needs none: its file mode keeps others out.
import type { MiddlewareHandler } from "hono";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { RequestRefused } from "../errors.ts";

/** The one path that answers without a key: a liveness check tells nothing. */
const OPEN_PATH = "/health";

/**
 * Refuses with 401 whoever does not send `X-API-Key`. Where `explain` has a response for the request, the refusal is
 * that one: a person with a browser needs another text than a program. Refusals are counted in the log: the first, the
 * tenth, the hundredth and so on, since whoever tries keys shall not fill it.
 */
export function apiKey(
  options: {
    key: string;
    log: ServiceLog;
    explain?: (request: Request) => Response | undefined;
  },
): MiddlewareHandler {
  const isExpected = createSecretMatch(options.key);
  let refused = 0;
  let nextTold = 1;
  return async (c, next) => {
    if (c.req.path !== OPEN_PATH && !isExpected(c.req.header("x-api-key") ?? "")) {
      refused++;
      if (refused === nextTold) {
        nextTold *= 10;
        const message = "Requests over TCP without a valid API key were refused since the start";
        options.log.write("warn", message, { refused });
      }
      const explanation = options.explain?.(c.req.raw);
      if (explanation !== undefined) return explanation;
      throw new RequestRefused(401, "Invalid or missing API key");
    }
    await next();
  };
}

/**
 * Tells whether a text is the secret. How long that takes depends on the length of the text alone, and tells nothing of
 * the secret: every byte is looked at, wherever the first difference is. Node's timingSafeEqual would do the same for
 * digests, and take a tenth of the memory of the whole service.
 */
function createSecretMatch(secret: string): (text: string) => boolean {
  const encoder = new TextEncoder();
  const expected = encoder.encode(secret);
  return (text) => {
    const given = encoder.encode(text);
    let difference = given.length ^ expected.length;
    for (let i = 0; i < given.length; i++) {
      difference |= (given[i] ?? 0) ^ (expected[i % expected.length] ?? 0);
    }
    return difference === 0;
  };
}
