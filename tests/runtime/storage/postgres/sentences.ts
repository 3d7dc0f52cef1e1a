// Checks that storage errors have the expected message and contain no password.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { RuntimeError } from "../../../../base/errors.ts";
import { RedactedLog } from "../../../../runtime/service_log/redacted_log.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

/** The correct password in all tests. The wrong password contains a part of it. */
export const PASSWORD = "geh%eim";

/**
 * Returns a validator for assert.rejects. It accepts a storage error with exactly this sentence, without a password and
 * without the text of another error.
 */
export function saying(
  sentence: RegExp,
  kind: abstract new () => RuntimeError,
): (error: unknown) => true {
  return (error: unknown): true => {
    assert.ok(error instanceof kind, inspect(error));
    assert.equal(error.code, "storage");
    assert.match(error.message, sentence);
    assert.match(error.message, /^Cannot use (postgres:\/\/|the address in database)[^\n]*[^.]\.$/);
    const lines: string[] = [];
    const sink = { write: (...line: unknown[]) => void lines.push(JSON.stringify(line)) };
    new RedactedLog(sink, new Redactor(() => [])).write("error", "x", { error });
    const cases = [
      ...lines,
      String(error),
      `${error.stack}`,
      inspect(error, { depth: 20 }),
      Deno.inspect(error, { depth: 20 }),
    ];
    for (const text of cases) assert.doesNotMatch(text, /geh(%|%25)?eim/);
    return true;
  };
}
