import assert from "node:assert/strict";
import { apiKey, RefusedKeys } from "../../../server/middleware/api_key.ts";
import { createSecretMatch } from "../../../server/secret_text.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestApp } from "../../support/test_app.ts";

const KEY = "correct horse";
const on = (key = KEY, log = new LogLines()) =>
  createTestApp({
    guards: [apiKey({ isKey: createSecretMatch(key), refused: new RefusedKeys(log) })],
  });

Deno.test("apiKey() lets the right key through, whatever the case of the header's name", async () => {
  for (const name of ["X-API-Key", "x-api-key"]) {
    assert.equal((await on().call("/info", { headers: { [name]: KEY } })).status, 200);
  }
});

Deno.test("apiKey() refuses a missing or wrong key with 401, to the letter", async () => {
  const { app, runtime } = on();
  const wrong = [
    undefined,
    "",
    "correct hors",
    "correct horse ",
    "Correct horse",
    `${KEY}, ${KEY}`,
  ];
  for (const key of wrong) {
    for (const path of ["/info", "/agents", "/openapi.json", "/docs", "/nothing", "/health/"]) {
      const headers = key === undefined ? {} : { "x-api-key": key };
      // Header values lose spaces at their ends on the way.
      if (key?.trim() === KEY) continue;
      const response = await app.request(path, { headers });
      assert.equal(response.status, 401);
      assert.equal(await response.text(), '{"detail":"Invalid or missing API key"}');
    }
  }
  assert.ok(runtime.log.lines.every(({ fields }) => !JSON.stringify(fields).includes("correct")));
});

Deno.test("apiKey() leaves /health open, and only that path and not its methods' refusals", async () => {
  const { call } = on();
  assert.equal((await call("/health")).status, 200);
  assert.equal((await call("/health", { method: "POST" })).status, 405);
  assert.equal((await call("/health/x")).status, 401);
});

Deno.test("apiKey() comes before every other check, and refuses work", async () => {
  const { app, runtime } = on();
  const response = await app.request("/agents/x/run", { method: "POST", body: "{" });
  assert.equal(response.status, 401);
  assert.equal(runtime.runs.length, 0);
});

Deno.test("apiKey() counts what it refuses in the log, at one, ten, a hundred and so on", async () => {
  const log = new LogLines();
  const { app } = on(KEY, log);
  for (let i = 0; i < 250; i++) {
    await app.request("/info", { headers: i % 2 === 0 ? {} : { "x-api-key": `guess ${i}` } });
    await app.request("/info", { headers: { "x-api-key": KEY } });
  }
  const message = "Requests over TCP without a valid API key were refused since the start";
  assert.deepEqual(
    log.lines,
    [1, 10, 100].map((refused) => ({ level: "warn", message, fields: { refused } })),
  );
});
