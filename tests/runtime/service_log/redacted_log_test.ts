import assert from "node:assert/strict";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { RedactedLog } from "../../../runtime/service_log/redacted_log.ts";
import { LogLines } from "../../support/log_lines.ts";

const REDACTOR = new Redactor(() => [{ name: "A_KEY", value: "secret-12345" }]);

Deno.test("RedactedLog redacts messages, fields, errors, their causes and stacks", () => {
  const sink = new LogLines();
  const log = new RedactedLog(sink, REDACTOR);
  const error = new Error("Refused secret-12345", { cause: new Error("for secret-12345") });
  for (const level of ["warn", "error"] as const) {
    const fields = { key: "secret-12345", deep: [{ is: "secret-12345" }], error };
    log.write(level, "With secret-12345", fields);
  }
  const text = JSON.stringify(sink.lines);
  assert.ok(!text.includes("secret-12345"), text);
  const [warning, failure] = sink.lines.map(({ fields }) => String(fields["error"]));
  assert.equal(warning, "Refused [redacted:A_KEY]\ncaused by: for [redacted:A_KEY]");
  assert.match(failure ?? "", /Refused \[redacted:A_KEY\]\n\s+at .*\ncaused by: /s);
});
