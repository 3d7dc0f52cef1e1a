import assert from "node:assert/strict";
import { join } from "node:path";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { withCollectorSecrets } from "../../../runtime/telemetry/collector_secrets.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";

const HEADERS = "authorization=Basic%20c2VzYW1lOnNlc2FtZQ==,x-api-key=collector-0123456789,a=1";

function redact(text: string, headers: string): string {
  const variables: Record<string, string> = { OTEL_EXPORTER_OTLP_HEADERS: headers };
  return new Redactor(withCollectorSecrets(() => [], (name) => variables[name])).redact(text);
}

Deno.test("withCollectorSecrets() hides the collector's key in every form", () => {
  const hidden = "[redacted:OTEL_EXPORTER_OTLP_HEADERS]";
  const cases = [
    ...[HEADERS, "collector-0123456789", "Basic%20c2VzYW1lOnNlc2FtZQ=="],
    ...["Basic c2VzYW1lOnNlc2FtZQ==", "c2VzYW1lOnNlc2FtZQ=="],
  ];
  for (const shown of cases) {
    assert.equal(redact(`before ${shown} after`, HEADERS), `before ${hidden} after`);
  }
  assert.equal(redact("the key x-api-key=short, a=1", "x-api-key=short"), `the key ${hidden}, a=1`);
  assert.equal(redact("nothing", ""), "nothing");
});

Deno.test("the collector's key is stored only in the conversation, and never shown", async () => {
  await using place = await createTestWorkspace({ shell: { OTEL_EXPORTER_OTLP_HEADERS: HEADERS } });
  const key = "collector-0123456789";
  await Deno.writeTextFile(join(place.workspace, "leak.txt"), `x-api-key=${key}`);
  const call = [{ name: "file_read", arguments: { path: "leak.txt" } }];
  await place.writeScript("leaky", [{ call }, { say: `It says ${key}` }]);
  await using runtime = await place.open();
  const { id, status, outputData } = await runToEnd(runtime, "leaky");
  assert.equal(status, "success");
  assert.equal(outputData, "It says [redacted:OTEL_EXPORTER_OTLP_HEADERS]");
  runtime.log.write("error", `Refused with ${key}`, { headers: HEADERS, error: new Error(key) });
  const shown = JSON.stringify([await payloadsOf(runtime, id), place.logged]);
  assert.ok(shown.includes("Refused with"));
  assert.ok(!shown.includes(key) && !shown.includes("c2VzYW1lOnNlc2FtZQ"), shown);
});
