import assert from "node:assert/strict";
import { parseIdleTimeout, parseLogLevel } from "../../../runtime/config/service_variables.ts";

Deno.test("parseLogLevel() takes the four levels in any case, and info where nothing is set", () => {
  assert.equal(parseLogLevel(undefined), "info");
  assert.equal(parseLogLevel(""), "info");
  assert.deepEqual(["debug", "Info", "WARN", "error"].map(parseLogLevel), [
    ...["debug", "info", "warn", "error"],
  ]);
});

Deno.test("parseLogLevel() names the variable, what it holds and what it may hold", () => {
  assert.throws(() => parseLogLevel("loud"), {
    message: "INKLING_LOG_LEVEL is not a valid level: loud (write debug, info, warn or error)",
  });
});

Deno.test("parseIdleTimeout() takes durations and bare seconds", () => {
  assert.equal(parseIdleTimeout(undefined), undefined);
  assert.equal(parseIdleTimeout(""), undefined);
  assert.equal(parseIdleTimeout("90"), 90_000);
  assert.equal(parseIdleTimeout("90s"), 90_000);
  assert.equal(parseIdleTimeout("5m"), 300_000);
});

Deno.test("parseIdleTimeout() refuses what would never or always be over", () => {
  for (const text of ["0", "0s", "-5", "soon", "1.5"]) {
    assert.throws(() => parseIdleTimeout(text), {
      message: `INKLING_IDLE_TIMEOUT is not a valid duration: ${text} (write 90s, 5m, or seconds)`,
    });
  }
});
