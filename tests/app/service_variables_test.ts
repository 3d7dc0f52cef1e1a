import assert from "node:assert/strict";
import { parseIdleTimeout, parseLogLevel } from "../../app/service_variables.ts";

Deno.test("parseLogLevel() accepts the four levels in any case, defaults to info, and refuses others", () => {
  assert.equal(parseLogLevel(undefined), "info");
  assert.equal(parseLogLevel(""), "info");
  assert.deepEqual(["debug", "Info", "WARN", "error"].map(parseLogLevel), [
    ...["debug", "info", "warn", "error"],
  ]);
  const message = "INKLING_LOG_LEVEL is not a valid level: loud (write debug, info, warn or error)";
  assert.throws(() => parseLogLevel("loud"), { message });
});

Deno.test("parseIdleTimeout() accepts durations and bare seconds, and refuses other texts", () => {
  assert.equal(parseIdleTimeout(undefined), undefined);
  assert.equal(parseIdleTimeout(""), undefined);
  assert.equal(parseIdleTimeout("90"), 90_000);
  assert.equal(parseIdleTimeout("90s"), 90_000);
  assert.equal(parseIdleTimeout("5m"), 300_000);
  for (const text of ["0", "0s", "-5", "soon", "1.5"]) {
    assert.throws(() => parseIdleTimeout(text), {
      message: `INKLING_IDLE_TIMEOUT is not a valid duration: ${text} (write 90s, 5m, or seconds)`,
    });
  }
});
