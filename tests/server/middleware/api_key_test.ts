import assert from "node:assert/strict";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { createSecretMatch } from "../../../server/login/secret_text.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestApp } from "../../support/test_app.ts";

const KEY = "correct horse";
const on = (key = KEY, log = new LogLines()) =>
  createTestApp({
    guards: [apiKey({ isKey: createSecretMatch(key), refused: new RefusedKeys(log) })],
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
