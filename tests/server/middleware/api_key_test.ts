import assert from "node:assert/strict";
import { Hono } from "hono";
import type { AppEnv } from "../../../server/middleware/caller.ts";
import { until } from "../../support/until.ts";
import { FakeRuntime } from "../../support/fake_runtime.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createFindKey } from "../../../server/login/key_owners.ts";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestApp } from "../../support/test_app.ts";

const KEY = "correct horse";
const on = (key = KEY, log = new LogLines()) =>
  createTestApp({
    guards: [
      apiKey({
        findKey: createFindKey(key, new FakeRuntime({ clock: new TestClock(), directory: "/" })),
        refused: new RefusedKeys(log),
        clock: new TestClock(),
      }),
    ],
  });

Deno.test("apiKey() compares the whole key and leaves GET /health open", async () => {
  const { app, runtime } = on();
  const status = async (path: string, key?: string, method = "GET") => {
    const headers: Record<string, string> = key === undefined ? {} : { "X-API-Key": key };
    return (await app.request(path, { method, headers })).status;
  };
  assert.equal(await status("/info", KEY), 200);
  for (const key of [undefined, "", "correct hors", "Correct horse", `${KEY}, ${KEY}`]) {
    for (const path of ["/info", "/openapi.json", "/nothing", "/health/", "/health/x"]) {
      assert.equal(await status(path, key), 401, `${path} ${key}`);
    }
    assert.equal(await status("/agents/x/run", key, "POST"), 401, `${key}`);
  }
  assert.equal(runtime.runs.length, 0);
  assert.equal(await status("/health"), 200);
  assert.equal(await status("/health", undefined, "POST"), 405);
});

Deno.test("apiKey() logs the number of refused requests at 1, 10, 100 and so on", async () => {
  const log = new LogLines();
  const { app } = on(KEY, log);
  for (let i = 0; i < 120; i++) {
    await app.request("/info", { headers: i % 2 === 0 ? {} : { "x-api-key": `guess ${i}` } });
  }
  await app.request("/info", { headers: { "x-api-key": KEY } });
  const message = "Requests over TCP without a valid API key were refused since the start";
  assert.deepEqual(
    log.lines,
    [1, 10, 100].map((refused) => ({ level: "warn", message, fields: { refused } })),
  );
});

Deno.test("apiKey() accepts a bearer token for other protocols only, and refuses in their shape", async () => {
  const { app } = on();
  const status = async (path: string, headers: Record<string, string>) =>
    (await app.request(path, { method: "POST", headers })).status;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  for (const path of ["/v1/responses", "/v1/chat/completions", "/mcp"]) {
    assert.notEqual(await status(path, bearer(KEY)), 401, path);
    assert.notEqual(await status(path, { authorization: `bearer ${KEY}` }), 401, path);
    assert.notEqual(await status(path, { "x-api-key": KEY }), 401, path);
    for (const key of ["", "correct hors", `${KEY} `]) {
      const expected = key === `${KEY} ` ? status(path, bearer(KEY)) : Promise.resolve(401);
      assert.equal(await status(path, bearer(key)), await expected, `${path} ${key}`);
    }
    assert.equal(await status(path, { "x-api-key": "wrong", ...bearer(KEY) }), 401, path);
    assert.equal(await status(path, { authorization: `Basic ${btoa(`x:${KEY}`)}` }), 401, path);
    assert.equal(await status(path, {}), 401, path);
  }
  for (const path of ["/info", "/mcpx", "/agents", "/v1", "/hooks/x"]) {
    assert.equal(await status(path, bearer(KEY)), 401, path);
  }
  const body = async (path: string) => {
    const response = await app.request(path, { method: "POST" });
    assert.equal(response.headers.get("www-authenticate"), "Bearer");
    return await response.json();
  };
  const detail = "Invalid or missing API key";
  const message =
    `${detail}. Send a named key or INKLING_API_KEY of the service as X-API-Key or Authorization: Bearer`;
  assert.deepEqual(await body("/mcp"), {
    detail,
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_000, message },
  });
  assert.deepEqual(await body("/v1/models"), {
    detail,
    error: { message, type: "invalid_request_error", param: null, code: "invalid_api_key" },
  });
});

Deno.test("a stream over /mcp ends when the owner of its access token has no access any more", async () => {
  const clock = new TestClock();
  let hasAccess = true;
  const app = new Hono<AppEnv>().use(apiKey({
    findKey: () => Promise.resolve(undefined),
    refused: new RefusedKeys(new LogLines()),
    clock,
    tokens: {
      find: () => Promise.resolve(() => hasAccess ? { via: "program", name: "ada" } : undefined),
      challenge: () => undefined,
    },
  }));
  app.all(
    "/mcp",
    () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }),
  );
  const response = await app.request("/mcp", { headers: { authorization: "Bearer a.b.c" } });
  assert.equal(response.status, 200);
  let hasEnded = false;
  const reading = response.text().then(() => hasEnded = true);
  await clock.advance(5_000);
  assert(!hasEnded);
  hasAccess = false;
  await until(async () => {
    await clock.advance(1_000);
    return hasEnded;
  }, "the stream ends");
  await reading;
});
