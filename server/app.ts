// Creates the HTTP application: middleware, the operations of the API, and the pages. mod.ts opens its listeners.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { redactToken } from "./answers/answers.ts";
import { RequestRefused, toErrorResponse } from "../api/errors.ts";
import type { DescribedOperation, Services } from "../api/operations/operation.ts";
import { LAZY_OPERATIONS } from "../api/routes/operations.ts";
import { requireRight } from "../api/operations/required_right.ts";
import { readJsonBody } from "../api/operations/request_body.ts";
import { EVENT_STREAM } from "../base/text/event_stream.ts";
import { NO_KEY } from "./middleware/api_key.ts";
import { type AppEnv, findCaller } from "./middleware/caller.ts";
import { readAddress } from "./middleware/request_address.ts";
import { createDashboard } from "./routes/dashboard.ts";
import { createDocumentation } from "./routes/docs.ts";
import { createGuide } from "./routes/guide.ts";
import { SIGN_IN_PATHS } from "../runtime/vocabulary/sign_in_paths.ts";
import { lazyModule } from "../base/lazy_module.ts";
import { createDeliveries, HOOK_PATH } from "./routes/hooks.ts";
import type { Caller } from "../runtime/vocabulary/callers.ts";
import type { Right } from "../runtime/vocabulary/rights.ts";
import type { Clock } from "../base/clock.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";

/** The settings of one listener's application. */
export interface AppOptions {
  /** The listener's name in the access log. */
  via?: string;
  /** True if this listener accepts webhook deliveries. Default: false. */
  takesDeliveries?: boolean;
  /** Middleware that runs before every route, in this order. */
  guards?: readonly MiddlewareHandler<AppEnv>[];
  /** Returns true if the request comes from a browser that is logged in. */
  isLoggedIn?: (request: Request) => boolean;
  /** The maximum size of a JSON body in bytes. Default: 1 MiB. */
  maxBodyBytes?: number;
}

/** The protocols that are translated to requests of the API. Each is loaded at its first request. */
const PROTOCOLS = [
  { path: "/v1/*", load: lazyModule(() => import("./routes/openai.ts")) },
  { path: "/mcp", load: lazyModule(() => import("./routes/mcp.ts")) },
];
const loadSignInPages = lazyModule(() => import("./sign_in/sign_in_pages.ts"));
const loadNarrowed = lazyModule(() => import("../api/operations/narrowed_runtime.ts"));
/** The size of a request that the API gets from an endpoint below /v1, whose own limit is half of it. */
const MAX_PROGRAM_BYTES = 40 * 1_024 * 1_024;

/** Matches the paths whose requests reset the idle timeout. Health checks and documentation do not reset it. */
const WORK = /^\/(agents|executions|events|mcp|v1)(\/|$)/;

/** The sender of the requests for open operations, which need no key. */
const NOBODY: Caller = { via: "api", role: "viewer" };

/** The objects of an application. `caller` is the sender of requests for which no guard names another one. */
export type AppServices = Omit<Services, "caller"> & { readonly caller?: Caller };

/** Creates the application over one runtime. */
export function createApp(services: AppServices, options: AppOptions = {}): Hono<AppEnv> {
  const { runtime, lifecycle } = services;
  const { log, clock } = runtime;
  const pages = [
    ...createDocumentation({ version: runtime.version }),
    ...createGuide(),
    {
      path: SIGN_IN_PATHS.callback,
      respond: async (request: Request) =>
        await (await loadSignInPages()).respondToReturn(request, runtime),
    },
    {
      path: SIGN_IN_PATHS.client,
      respond: async () => await (await loadSignInPages()).respondWithClient(runtime),
    },
    ...createDashboard({ isLoggedIn: options.isLoggedIn ?? (() => false) }),
  ];
  const { takesDeliveries = false } = options;
  const refuseRoute = createRefusal([
    ...LAZY_OPERATIONS,
    ...(takesDeliveries ? [{ method: "POST", path: HOOK_PATH }] : []),
    ...pages.map(({ path }) => ({ method: "GET", path })),
  ]);
  const requireCaller = (c: Context<AppEnv>, right: Right) => {
    const caller = findCaller(c, services.caller);
    if (caller === undefined) throw new RequestRefused(401, NO_KEY);
    requireRight({ caller }, right);
    return caller;
  };
  const app = new Hono<AppEnv>();
  /** The same API for the models and programs that use another protocol. */
  let program: Hono<AppEnv> | undefined;
  app.use(accessLog({ log, clock, via: options.via ?? "unix" }));
  app.use(measureHead);
  for (const guard of options.guards ?? []) app.use(guard);
  app.use(async (c, next) => {
    const ended = WORK.test(c.req.path) ? lifecycle.countRequest() : undefined;
    try {
      // An invalid Host header makes the URL invalid.
      if (readAddress(c.req.url) === undefined) throw new RequestRefused(400, "Bad Request");
      await next();
    } finally {
      ended?.();
    }
  });
  for (const place of LAZY_OPERATIONS) {
    let operation: DescribedOperation | undefined;
    app.on(place.method, toPattern(place.path), async (c) => {
      const request = c.req.raw;
      const caller = place.right === "open" ? NOBODY : requireCaller(c, place.right);
      operation ??= await place.load();
      const { agents } = caller;
      const seen = agents === undefined
        ? runtime
        : (await loadNarrowed()).narrowRuntime(runtime, agents);
      return await operation.respond({
        params: c.req.param(),
        query: readAddress(request.url)?.query ?? {},
        headers: request.headers,
        readBody: async () =>
          place.method === "GET" ? undefined : await readJsonBody(request, {
            clock,
            maxBytes: options.maxBodyBytes,
          }),
      }, { ...services, caller, runtime: seen });
    });
  }
  for (const { path, load } of PROTOCOLS) {
    app.all(path, async (c) => {
      const { openProtocol } = await load();
      program ??= createApp({ ...services, isLocal: false }, {
        via: "program",
        maxBodyBytes: MAX_PROGRAM_BYTES,
      });
      const { request } = program;
      const caller = { ...requireCaller(c, "view"), via: "program" as const };
      return await openProtocol(runtime, (address, init) => request(address, init, { caller }))(
        c.req.raw,
      );
    });
  }
  if (takesDeliveries) {
    const take = createDeliveries(runtime);
    const paths = [toPattern(HOOK_PATH), `${toPattern(HOOK_PATH)}/`];
    app.on(["POST", "GET"], paths, (c) => take(c.req.raw, c.req.param("agent") ?? ""));
  }
  for (const { path, respond } of pages) app.get(toPattern(path), (c) => respond(c.req.raw));
  app.notFound((c) => toErrorResponse(refuseRoute(c), runtime));
  app.onError((error) => toErrorResponse(error, runtime));
  return app;
}

/**
 * Gives a HEAD response the Content-Length that GET would have. Cancels the body if it is a stream, because Hono drops the
 * body unread.
 */
const measureHead: MiddlewareHandler = async (c, next) => {
  await next();
  // For the path `/*`, Hono runs each handler twice.
  if (c.req.method !== "HEAD" || c.res.body === null || c.res.bodyUsed) return;
  if (c.res.headers.get("content-type") === EVENT_STREAM) return await c.res.body.cancel();
  const { byteLength } = await c.res.arrayBuffer();
  c.res.headers.set("content-length", String(byteLength));
};

function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Returns the error for a request without a route: 404, or 405 if the path has other methods. */
function createRefusal(
  routes: readonly { method: string; path: string }[],
): (c: Context) => RequestRefused {
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (c) => {
    const allowed = patterns.filter(({ pattern }) => pattern.test(c.req.path));
    if (allowed.length === 0) return new RequestRefused(404, "Not Found");
    const methods = allowed.map(({ method }) => method);
    const allow = [...new Set(methods.flatMap((one) => one === "GET" ? ["GET", "HEAD"] : [one]))]
      .join(", ");
    return new RequestRefused(405, "Method Not Allowed", { headers: { allow } });
  };
}

/** Logs method, path (without the query), status, milliseconds until the response started, and the listener (`via`). */
function accessLog(
  options: { log: ServiceLog; clock: Clock; via: string },
): MiddlewareHandler {
  const { log, clock, via } = options;
  return async (c, next) => {
    const start = clock.now();
    await next();
    log.write("debug", "request", {
      method: c.req.method,
      path: redactToken(c.req.path),
      status: c.res.status,
      ms: clock.now() - start,
      via,
    });
  };
}
