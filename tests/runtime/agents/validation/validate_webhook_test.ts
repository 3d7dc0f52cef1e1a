import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { diagnoseWebhook } from "../../../../runtime/agents/validation/validate_webhook.ts";
import { parse } from "../parsed_file.ts";

function diagnosed(trigger: string): string[] {
  const parsed = parse(`---\ntrigger: { ${trigger} }\n---\nDo it.`);
  assert.ok("agent" in parsed, JSON.stringify(parsed));
  const { agent, document } = parsed;
  return diagnoseWebhook(agent, { path: "daily.md", document }, {
    directories: { workspaceEnvFile: "/work/.env" },
    environment: { get: (name) => ({ SET: "x", BLANK: " " })[name], secrets: () => [] },
  }).map((one) => `${one.severity} ${formatDiagnostic(one)}`);
}

Deno.test("diagnoseWebhook() warns of a secret that is not set, and says what that does", () => {
  assert.deepEqual(diagnosed("type: webhook, scheme: github, secret: SET"), []);
  assert.deepEqual(diagnosed("type: webhook, scheme: github, secret: BLANK"), [
    "warning daily.md:2:51: The secret of the webhook is missing: BLANK is not set, so every delivery " +
    "is refused (add the line BLANK=<the secret> to /work/.env)",
  ]);
  assert.deepEqual(diagnosed("type: webhook, scheme: github, secret: [SET, NEXT]"), [
    "warning daily.md:2:51: The secret of the webhook is missing: NEXT is not set, so deliveries signed " +
    "with it are refused (add the line NEXT=<the secret> to /work/.env)",
  ]);
});
