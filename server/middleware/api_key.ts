// Checks the API key of requests over TCP. The Unix socket needs no key, because its file mode keeps other users out.
import type { MiddlewareHandler } from "hono";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { SIGN_IN_PATHS } from "../../runtime/vocabulary/sign_in_paths.ts";
import { RequestRefused } from "../../api/errors.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import type { AppEnv } from "./caller.ts";

/** The path of the log-in page. */
export const LOGIN_PATH = "/login";
/** The refusal of a request without a valid key. */
export const NO_KEY = "Invalid or missing API key";
const KEY_REMEDY = "Send INKLING_API_KEY of the service as X-API-Key or Authorization: Bearer";
/**
 * The paths that need no key: the health check, the log-in, whose form contains the key, and the paths for authorization
 * servers. Their callback checks a secret of its own.
 */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  "/health",
  LOGIN_PATH,
  ...Object.values(SIGN_IN_PATHS),
]);

/**
 * The paths of other protocols, whose clients send the key as `Authorization: Bearer`. `toError` returns the fields that
 * such a client expects in a refusal, besides `detail`.
 */
const PROTOCOLS: readonly { path: RegExp; toError: (message: string) => object }[] = [
  {
    path: /^\/mcp\/?$/,
    toError: (message) => ({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }),
  },
  {
    path: /^\/v1\//,
    toError: (message) => ({
      error: { message, type: "invalid_request_error", param: null, code: "invalid_api_key" },
    }),
  },
];

/** Returns the owner of a key, or undefined for an unknown key. */
export type FindKey = (key: string) => Promise<Caller | undefined>;

/** Counts requests without a valid key. Logs the 1st, 10th, 100th and so on, so that an attacker cannot fill the log. */
export class RefusedKeys {
  readonly #log: ServiceLog;
  #refused = 0;
  #nextLogged = 1;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** Counts one refused request. */
  count(): void {
    this.#refused++;
    if (this.#refused < this.#nextLogged) return;
    this.#nextLogged *= 10;
    const message = "Requests over TCP without a valid API key were refused since the start";
    this.#log.write("warn", message, { refused: this.#refused });
  }
}

/**
 * Returns the middleware that finds the owner of a request's `X-API-Key` or log-in. It refuses and counts requests without
 * one, unless `isOpen` returns true. On the paths of other protocols, the key may be a bearer token, too. The refusal is
 * 401, or the response of `explain`, which is a page for a person with a browser. `findLogin` may throw another refusal.
 */
export function apiKey(
  options: {
    findKey: FindKey;
    refused: RefusedKeys;
    isOpen?: (request: Request) => boolean;
    findLogin?: (request: Request) => Caller | undefined;
    explain?: (request: Request) => Promise<Response> | undefined;
  },
): MiddlewareHandler<AppEnv> {
  const { findKey, refused, isOpen, findLogin, explain } = options;
  return async (c, next) => {
    const { req: { path, raw } } = c;
    const protocol = PROTOCOLS.find((one) => one.path.test(path));
    const bearer = protocol && /^Bearer (.*)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const key = c.req.header("x-api-key") ?? bearer ?? "";
    if (OPEN_PATHS.has(path)) return await next();
    const caller = await findKey(key) ?? (isOpen?.(raw) ? undefined : findLogin?.(raw));
    c.set("caller", caller);
    if (caller !== undefined || isOpen?.(raw)) return await next();
    refused.count();
    if (protocol !== undefined) {
      const body = { detail: NO_KEY, ...protocol.toError(`${NO_KEY}. ${KEY_REMEDY}`) };
      return Response.json(body, { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
    const explanation = await explain?.(raw);
    if (explanation !== undefined) return explanation;
    throw new RequestRefused(401, NO_KEY);
  };
}
