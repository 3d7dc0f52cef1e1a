import assert from "node:assert/strict";
import { join } from "node:path";
import { ProviderKeys } from "../../../runtime/models/provider_keys.ts";
import { agentOf } from "../agents/parsed_file.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../support/test_workspace.ts";

Deno.test("a key is redacted everywhere as soon as an agent names its variable", async () => {
  const shell = {
    LLM_ACCESS: "key-0123456789",
    A_TOKEN: "key-abcdefghij",
    OPENAI_API_KEY: "key-abcdefghij",
  };
  await using place = await createTestWorkspace({ shell });
  await Deno.writeTextFile(join(place.workspace, "leak.txt"), "key-0123456789 key-abcdefghij");
  const call = [{ name: "file_read", arguments: { path: "leak.txt" } }];
  await place.writeScript("leaky", [{ call }, { say: "Both." }], "history: off");
  await using runtime = await place.open();
  const open = await runToEnd(runtime, "leaky");
  assert.match(JSON.stringify(await payloadsOf(runtime, open.id)), /key-0123456789/);
  await place.writeAgent(
    "keyed",
    "---\nmodel: { provider: elsewhere, name: m, base_url: 'http://127.0.0.1:9', " +
      "api_key_env: LLM_ACCESS }\n---\nWork.\n",
  );
  await runtime.reloadAgents();
  const { id, status } = await runToEnd(runtime, "leaky", { message: "key-0123456789" });
  assert.equal(status, "success");
  const shown = JSON.stringify([await payloadsOf(runtime, id), place.logged]);
  assert.match(shown, /\[redacted:LLM_ACCESS\] \[redacted:OPENAI_API_KEY\]/);
  await runtime.stop({ graceMs: 0 });
  const stored = JSON.stringify(
    await place.all("SELECT body FROM messages WHERE execution_id = ?", id),
  );
  assert.ok(!stored.includes("key-0123456789") && !stored.includes("key-abcdefghij"), stored);
});

const agentWith = (model: string) => agentOf(`model: { ${model} }`);

Deno.test("ProviderKeys includes the keys of providers, the service and agents, and webhook secrets", () => {
  const agents = [
    agentWith("provider: elsewhere, name: m, base_url: 'http://127.0.0.1:9'"),
    agentWith("provider: openai, name: m, api_key_env: LLM_ACCESS"),
    agentOf("history: low"),
    agentOf("trigger: { type: webhook, scheme: github, secret: [GH_HOOK, OLD_HOOK] }"),
  ];
  const keys = new ProviderKeys(() => agents);
  const named = ["LLM_ACCESS", "GH_HOOK", "OLD_HOOK"];
  const held = ["ANTHROPIC_API_KEY", "INKLING_API_KEY", "ELSEWHERE_API_KEY", ...named];
  assert.deepEqual(held.filter((name) => keys.has(name)), held);
  assert.deepEqual(["PATH", "OTHER_API_KEY", "constructor"].filter((name) => keys.has(name)), []);
  assert.deepEqual(keys.namedByAgents(), named);
});
