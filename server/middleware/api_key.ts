// The key that every request over TCP must bring. The Unix socket needs none: its file mode keeps others out.
import type { MiddlewareHandler } from "hono";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { RequestRefused } from "../../api/errors.ts";

/** Where a browser logs in. */
export const LOGIN_PATH = "/login";
/** What answers without a key: a liveness check tells nothing, and a log-in brings the key otherwise. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/health", LOGIN_PATH]);

/**
 * Counts in the log what was refused for want of a key: the first, the tenth, the hundredth and so on, since whoever tries
 * keys shall not fill it.
 */
export class RefusedKeys {
  readonly #log: ServiceLog;
  #refused = 0;
  #nextTold = 1;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** One more. */
  count(): void {
    this.#refused++;
    if (this.#refused < this.#nextTold) return;
    this.#nextTold *= 10;
    const message = "Requests over TCP without a valid API key were refused since the start";
    this.#log.write("warn", message, { refused: this.#refused });
  }
}

/**
 * Refuses with 401, and counts, whoever does not send `X-API-Key`, unless `admits` says otherwise of the request; it may throw
 * a refusal of its own. Where `explain` has a response for the request, the refusal is that one: a person with a browser needs
 * another text than a program.
 */
export function apiKey(
  options: {
    isKey: (text: string) => boolean;
    refused: RefusedKeys;
    admits?: (request: Request) => boolean;
    explain?: (request: Request) => Promise<Response> | undefined;
  },
): MiddlewareHandler {
  const { isKey, refused, admits, explain } = options;
  return async (c, next) => {
    const { req: { path, raw } } = c;
    if (OPEN_PATHS.has(path) || isKey(c.req.header("x-api-key") ?? "") || admits?.(raw)) {
      return await next();
    }
    refused.count();
    const explanation = await explain?.(raw);
    if (explanation !== undefined) return explanation;
    throw new RequestRefused(401, "Invalid or missing API key");
  };
}
