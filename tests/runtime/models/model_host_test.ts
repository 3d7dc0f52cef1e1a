// Tests that modelHost(), from which permissions are derived, returns the host that the adapter calls.
import assert from "node:assert/strict";
import { FREE_BILLING } from "../../support/models/free_billing.ts";
import type { ModelSettings } from "../../../runtime/agents/agent.ts";
import { modelHost } from "../../../runtime/models/endpoint.ts";
import { ModelError } from "../../../runtime/models/model.ts";
import { resolveModel } from "../../../runtime/models/calls/resolve.ts";
import { failureOf } from "../../support/collect_reply.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

const settings = (provider: string, baseUrl?: string): ModelSettings => (
  { provider, name: "tiny", streamUsage: true, ...(baseUrl === undefined ? {} : { baseUrl }) }
);

Deno.test({
  name: "modelHost() returns the host that Deno refuses without its flag",
  permissions: { net: false, read: true, env: true, sys: true },
  async fn() {
    for (const provider of ["openai", "anthropic", "google", "ollama", "local"]) {
      const opened = await resolveModel(settings(provider), {
        environment: { get: () => "sk-0123456789", secrets: () => [] },
        environmentFile: "/work/.env",
        clock: new TestClock(),
        pinKeys: false,
        billing: FREE_BILLING,
        log: new LogLines(),
      });
      const { message, retryable } = await failureOf(opened);
      const host = modelHost(settings(provider));
      assert.ok(message.includes(`Inkling was started without --allow-net=${host};`), message);
      assert.equal(retryable, false);
    }
  },
});

Deno.test("modelHost() returns the host and port of base_url, and null for the demo", () => {
  assert.equal(modelHost(settings("corp", "http://models.test/api")), "models.test:80");
  assert.equal(modelHost(settings("openai", "https://[fd00::1]:8443/v1")), "[fd00::1]:8443");
  assert.equal(modelHost(settings("demo")), null);
  assert.throws(() => modelHost(settings("unknown")), ModelError);
});
