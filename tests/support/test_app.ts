// The HTTP application with an in-memory runtime and a clock that a test moves.
import type { AppEnv } from "../../server/middleware/caller.ts";
import type { Hono } from "hono";
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import { type AppOptions, createApp } from "../../server/app.ts";
import { Lifecycle } from "../../api/streams/lifecycle.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { TestClock } from "./test_clock.ts";

export interface TestApp {
  app: Hono<AppEnv>;
  runtime: FakeRuntime;
  clock: TestClock;
  lifecycle: Lifecycle;
  /** Sends a request and returns the status and the parsed body. `init.json` is sent as a JSON body. */
  call(path: string, init?: RequestInit & { json?: unknown }): Promise<{
    status: number;
    // deno-lint-ignore no-explicit-any -- tests compare whole bodies
    body: any;
    headers: Headers;
  }>;
}

/** Creates an application without a listener. */
export function createTestApp(
  { caller = { via: "api" }, ...options }: AppOptions & { caller?: Caller } = {},
): TestApp {
  const clock = new TestClock();
  const runtime = new FakeRuntime({ clock, directory: "/home/me" });
  const lifecycle = new Lifecycle({ runtime, keepAlive: false });
  const app = createApp({
    runtime,
    lifecycle,
    transports: () => ["unix:/home/me/service.sock"],
    caller,
  }, options);
  return {
    app,
    runtime,
    clock,
    lifecycle,
    async call(path, { json, ...init } = {}) {
      const response = await app.request(path, {
        ...init,
        ...(json !== undefined && {
          body: JSON.stringify(json),
          headers: { "content-type": "application/json", ...init.headers },
        }),
      });
      return {
        status: response.status,
        body: JSON.parse(await response.text()),
        headers: response.headers,
      };
    },
  };
}
