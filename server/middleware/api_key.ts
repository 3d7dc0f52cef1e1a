// Checks the API key of requests over TCP. The Unix socket needs no key, because its file mode keeps other users out.
import type { Context, MiddlewareHandler } from "hono";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { SIGN_IN_PATHS } from "../../runtime/vocabulary/sign_in_paths.ts";
import { RequestRefused } from "../../api/errors.ts";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import type { AppEnv } from "./caller.ts";

/** The path of the log-in page. */
export const LOGIN_PATH = "/login";
/** The refusal of a request without a valid key. */
export const NO_KEY = "Invalid or missing API key";
const KEY_REMEDY =
  "Send a named key or INKLING_API_KEY of the service as X-API-Key or Authorization: Bearer";
/**
 * The paths that need no key: the health check, the log-in, whose form contains the key, and the paths for authorization
 * servers. Their callback checks a secret of its own.
 */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  "/health",
  LOGIN_PATH,
  ...Object.values(SIGN_IN_PATHS),
]);

const MCP_PATH = /^\/mcp\/?$/;

/**
 * The paths of other protocols, whose clients send the key as `Authorization: Bearer`. `toError` returns the fields that
 * such a client expects in a refusal, besides `detail`.
 */
const PROTOCOLS: readonly { path: RegExp; toError: (message: string) => object }[] = [
  {
    path: MCP_PATH,
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

/** The milliseconds between two checks of the key or the log-in of an open stream. */
const STREAM_CHECK_MS = SECOND_MS;

/** Ends the stream of a response when `findOwner` returns undefined, because the key, the log-in or the person's access has ended. */
function endStreamWith(findOwner: () => Promise<unknown>, c: Context, clock: Clock): void {
  const { res } = c;
  if (res.body === null || res.headers.get("content-type") !== EVENT_STREAM) return;
  const over = new AbortController();
  const left = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void res.body.pipeTo(writable, { signal: over.signal, preventAbort: true })
    // The client has left, or the key has ended. The stream then ends without an error.
    .catch(() => writable.close().catch(() => {/* The client has left. */}))
    .finally(() => left.abort(NO_LONGER_NEEDED));
  const watch = async () => {
    while (await sleepUnlessAborted(clock, STREAM_CHECK_MS, left.signal)) {
      // Without the database, nobody can revoke the key either.
      if (await findOwner().catch(() => true) === undefined) return over.abort();
    }
  };
  void watch();
  c.res = new Response(readable, res);
}

/** Middleware whose requests need no key, because they have a secret of their own. */
export interface PortGuard {
  /** Returns true if the request needs no key. */
  admits(request: Request): boolean;
  /** Returns true if the request may come from another site, because it follows a link. */
  isFollowed(request: Request): boolean;
  /** The middleware that answers these requests. Runs after the check of Host and Origin. */
  respond: MiddlewareHandler;
}

/** Checks access tokens that another server has issued for /mcp. */
export interface TokenGuard {
  /**
   * Returns a function that returns the owner of a token, as long as the owner has access. Returns undefined for an invalid
   * token. Throws RequestRefused for an owner without access.
   */
  find(token: string): Promise<(() => Caller | undefined) | undefined>;
  /** Returns the `WWW-Authenticate` of a refusal. Undefined if no tokens are accepted. */
  challenge(hasToken: boolean): string | undefined;
}

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
    clock: Clock;
    findLogin?: (request: Request) => Promise<Caller | undefined>;
    /** Accepts the access tokens of another server at /mcp. */
    tokens?: TokenGuard;
    explain?: (request: Request) => Promise<Response> | undefined;
  },
): MiddlewareHandler<AppEnv> {
  const { findKey, refused, clock, isOpen, findLogin, tokens, explain } = options;
  return async (c, next) => {
    const { req: { path, raw } } = c;
    const protocol = PROTOCOLS.find((one) => one.path.test(path));
    const bearer = protocol && /^Bearer (.*)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const key = c.req.header("x-api-key") ?? bearer ?? "";
    if (OPEN_PATHS.has(path)) return await next();
    const guard = MCP_PATH.test(path) ? tokens : undefined;
    const findOwner = async () =>
      await findKey(key) ?? (isOpen?.(raw) ? undefined : await findLogin?.(raw));
    const owner = await findOwner();
    const findTokenOwner = owner === undefined ? await guard?.find(bearer ?? "") : undefined;
    const caller = owner ?? findTokenOwner?.();
    c.set("caller", caller);
    if (caller !== undefined || isOpen?.(raw)) {
      await next();
      // The key of the whole service has no role and does not end, but a log-in with it does.
      const mayEnd = owner?.role !== undefined || owner?.via === "page";
      if (mayEnd) return endStreamWith(findOwner, c, clock);
      // A token may expire during a long call, but its owner must still have access.
      return findTokenOwner && endStreamWith(() => Promise.resolve(findTokenOwner()), c, clock);
    }
    refused.count();
    if (protocol !== undefined) {
      const body = { detail: NO_KEY, ...protocol.toError(`${NO_KEY}. ${KEY_REMEDY}`) };
      const challenge = guard?.challenge(bearer !== undefined) ?? "Bearer";
      return Response.json(body, { status: 401, headers: { "www-authenticate": challenge } });
    }
    const explanation = await explain?.(raw);
    if (explanation !== undefined) return explanation;
    throw new RequestRefused(401, NO_KEY);
  };
}
