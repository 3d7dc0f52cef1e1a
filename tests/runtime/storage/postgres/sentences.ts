// Checks the messages of storage errors for people: their text, and that they contain no password.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { RuntimeError } from "../../../../base/errors.ts";
import { RedactedLog } from "../../../../runtime/service_log/redacted_log.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";

/** The password of all tests. A part of it is in the wrong one, too. */
export const PASSWORD = "geh%eim";

/** Returns a check for assert.rejects: a storage error with this sentence, without a password or the text of another error. */
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
