// Tests that the models of a service are opened once per connection, from the current files and environment.
import assert from "node:assert/strict";
import { FREE_BILLING } from "../../../support/models/free_billing.ts";
import { dirname } from "node:path";
import type { ModelSettings } from "../../../../runtime/agents/agent.ts";
import type { Model } from "../../../../runtime/models/model.ts";
import { ModelSupply } from "../../../../runtime/models/calls/model_supply.ts";
import { collectReply } from "../../../support/collect_reply.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";

interface Supply {
  open: (model: Partial<ModelSettings>) => Promise<Model>;
  /** Replaces the environment file of the workspace. */
  setKeys: (keys: Record<string, string>) => Promise<void>;
}

async function openSupply(place: TestWorkspace): Promise<Supply> {
  const settings = await place.settings();
  const file = settings.directories.workspaceEnvFile;
  await Deno.mkdir(dirname(file), { recursive: true });
  const log = { write: () => {} };
  const supply = new ModelSupply({
    gate: FREE_BILLING.gate,
    settings,
    clock: new TestClock(),
    log,
  });
  const model = { provider: "mine", name: "m", streamUsage: true };
  return {
    open: (changes) => supply.open(createTestAgent({ model: { ...model, ...changes } })),
    setKeys: (keys) =>
      Deno.writeTextFile(
        file,
        Object.entries(keys).map(([name, value]) => `${name}=${value}\n`).join(""),
      ),
  };
}

Deno.test("ModelSupply.open() uses the current key, name and address of the agent for each call", async () => {
  await using place = await createTestWorkspace();
  await using here = new OpenAiServer(Array.from({ length: 5 }, () => ({ text: "Hello." })));
  await using there = new OpenAiServer([{ text: "Hello." }]);
  const { open, setKeys } = await openSupply(place);
  await setKeys({ MINE_API_KEY: "first-key" });
  const told = (server: OpenAiServer) =>
    server.requests.map(({ headers, body }) => [headers.get("authorization"), body.model]);

  await collectReply(await open({ baseUrl: here.origin }));
  const opened = await open({ baseUrl: here.origin });
  await setKeys({ MINE_API_KEY: "second-key", OTHER_KEY: "other-key" });
  await collectReply(await open({ baseUrl: here.origin }));
  // A run keeps the key with which it started.
  await collectReply(opened);
  await collectReply(await open({ baseUrl: here.origin, apiKeyEnv: "OTHER_KEY" }));
  await collectReply(await open({ baseUrl: here.origin, name: "n" }));
  await collectReply(await open({ baseUrl: there.origin }));
  assert.deepEqual(told(here), [
    ["Bearer first-key", "m"],
    ["Bearer second-key", "m"],
    ["Bearer first-key", "m"],
    ["Bearer other-key", "m"],
    ["Bearer second-key", "n"],
  ]);
  assert.deepEqual(told(there), [["Bearer second-key", "m"]]);

  await setKeys({});
  await assert.rejects(open({ baseUrl: here.origin }), /MINE_API_KEY is not set/);
});
