import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { withCollectorSecrets } from "../../../runtime/telemetry/collector_secrets.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";

const HEADERS = "authorization=Basic%20c2VzYW1lOnNlc2FtZQ==,x-api-key=collector-0123456789,a=1";

function redact(text: string, headers: string): string {
  const variables: Record<string, string> = { OTEL_EXPORTER_OTLP_HEADERS: headers };
  return new Redactor(withCollectorSecrets(() => [], (name) => variables[name])).redact(text);
}

Deno.test("withCollectorSecrets() hides the collector's key in every form in which it may show", () => {
  const hidden = "[redacted:OTEL_EXPORTER_OTLP_HEADERS]";
  for (
    const shown of [
      HEADERS,
      "collector-0123456789",
      "Basic%20c2VzYW1lOnNlc2FtZQ==",
      "Basic c2VzYW1lOnNlc2FtZQ==",
      "c2VzYW1lOnNlc2FtZQ==",
    ]
  ) {
    assert.equal(redact(`before ${shown} after`, HEADERS), `before ${hidden} after`);
  }
  assert.equal(redact("the key x-api-key=short, a=1", "x-api-key=short"), `the key ${hidden}, a=1`);
  assert.equal(redact("nothing", ""), "nothing");
});

Deno.test("withCollectorSecrets() leaves the other secrets what they are, longest first", () => {
  const others = [{ name: "A_KEY", value: "a".repeat(30) }, {
    name: "B_KEY",
    value: "b".repeat(8),
  }];
  assert.equal(withCollectorSecrets(() => others, () => undefined)(), others);
  const all = withCollectorSecrets(
    () => others,
    (name) => name.includes("TRACES") ? "k=0123456789" : undefined,
  )();
  assert.deepEqual(all.map(({ value }) => value.length), [30, 12, 10, 8]);
});

Deno.test("withCollectorSecrets() hides each value of any headers, whatever is in it", () => {
  const name = fc.stringMatching(/^[a-z-]{1,12}$/);
  const value = fc.stringMatching(/^[!-~ ]{8,40}$/).map((text) => text.trim())
    .filter((text) => text.length >= 8 && !/redacted|OTEL|OTLP/.test(text));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }), (pairs) => {
      const headers = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(
        ",",
      );
      for (const [, value] of pairs) {
        const shown = redact(`<${value}> <${encodeURIComponent(value)}>`, headers);
        assert.ok(!shown.includes(value) && !shown.includes(encodeURIComponent(value)), shown);
      }
    }),
  );
});

Deno.test("the collector's key is in no frame, answer, log line and state file but the conversation", async () => {
  await using place = await createTestWorkspace({ shell: { OTEL_EXPORTER_OTLP_HEADERS: HEADERS } });
  const key = "collector-0123456789";
  await Deno.writeTextFile(join(place.workspace, "leak.txt"), `x-api-key=${key}`);
  await place.writeScript("leaky", [
    { call: [{ name: "file_read", arguments: { path: "leak.txt" } }] },
    { say: `It says ${key}` },
  ]);
  await using runtime = await place.open();
  const { id, status, outputData } = await runToEnd(runtime, "leaky");
  assert.equal(status, "success");
  assert.equal(outputData, "It says [redacted:OTEL_EXPORTER_OTLP_HEADERS]");
  runtime.log.write("error", `Refused with ${key}`, { headers: HEADERS, error: new Error(key) });
  const shown = JSON.stringify([await payloadsOf(runtime, id), place.logged]);
  assert.ok(shown.includes("Refused with"));
  assert.ok(!shown.includes(key) && !shown.includes("c2VzYW1lOnNlc2FtZQ"), shown);
});
