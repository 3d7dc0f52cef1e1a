// The HTTP application: middleware, then the table of operations. Listens to nothing; mod.ts does, and tests call it.
import { type Context, Hono } from "hono";
import { RequestRefused, toErrorResponse } from "./errors.ts";
import { accessLog } from "./middleware/access_log.ts";
import type { Operation, Services } from "./operation.ts";
import { readJsonBody } from "./request_body.ts";
import { agentOperations } from "./routes/agents.ts";
import { executionOperations } from "./routes/executions.ts";
import { infoOperations } from "./routes/info.ts";

/** Every endpoint, in the order of their registration. */
export const OPERATIONS: readonly Operation[] = [
  ...infoOperations,
  ...agentOperations,
  ...executionOperations,
];

/** The application over one runtime. */
export function createApp(services: Services): Hono {
  const { runtime, lifecycle } = services;
  const app = new Hono();
  app.use(accessLog({ log: runtime.log, clock: runtime.clock }));
  app.use(async (c, next) => {
    const ended = lifecycle.requestStarted();
    try {
      // Hono would run the GET handler for HEAD and drop the body: a stream would stay open with no reader.
      if (c.req.method === "HEAD") throw refuseRoute(c);
      await next();
    } finally {
      ended();
    }
  });
  for (const operation of OPERATIONS) {
    app.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
      const request = c.req.raw;
      return await operation.respond({
        params: c.req.param(),
        query: joinRepeated(new URL(request.url).searchParams),
        headers: Object.fromEntries(request.headers),
        body: operation.method === "GET" ? undefined : await readJsonBody(request),
      }, services);
    });
  }
  app.notFound((c) => toErrorResponse(refuseRoute(c), runtime.log));
  app.onError((error) => toErrorResponse(error, runtime.log));
  return app;
}

const ROUTES = OPERATIONS.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

function refuseRoute(c: Context): RequestRefused {
  const allowed = ROUTES.filter(({ pattern }) => pattern.test(c.req.path));
  if (allowed.length === 0) return new RequestRefused(404, "Not Found");
  const allow = [...new Set(allowed.map(({ method }) => method))].join(", ");
  return new RequestRefused(405, "Method Not Allowed", { headers: { allow } });
}

/** A parameter given several times is its values with commas between: a list where lists are taken, else refused. */
function joinRepeated(parameters: URLSearchParams): Record<string, string> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join(",")]));
}
