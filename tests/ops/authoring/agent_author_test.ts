import assert from "node:assert/strict";
import { AgentAuthor } from "../../../ops/authoring/agent_author.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { TestClock } from "../../support/test_clock.ts";

async function drafterOf(
  defaults: string,
  shell: Record<string, string> = {},
): Promise<string | undefined> {
  await using place = await createTestWorkspace({ config: `defaults: {${defaults}}\n`, shell });
  return new AgentAuthor({ settings: await place.settings(), clock: new TestClock() }).drafter();
}

Deno.test("AgentAuthor drafts a file with the default model if the model can be called", async () => {
  const key = { OPENAI_API_KEY: "k" };
  const local = "provider: local, model: tiny";
  assert.equal(await drafterOf("provider: openai, model: m", key), "openai/m");
  assert.equal(await drafterOf(local), "local/tiny");
  assert.equal(await drafterOf("provider: ollama, model: tiny"), "ollama/tiny");
  assert.equal(await drafterOf("provider: openai, model: m"), undefined);
  assert.equal(await drafterOf("provider: openai, model: m", { OPENAI_API_KEY: " " }), undefined);
  assert.equal(await drafterOf(`${local}, base_url: 'https://far.example'`), undefined);
  assert.equal(await drafterOf("provider: demo, model: echo"), undefined);
  assert.equal(await drafterOf("provider: openai", key), undefined);
});

Deno.test("AgentAuthor.save() refuses a text that is no agent file", async () => {
  await using place = await createTestWorkspace();
  await Deno.remove(place.agentsDir);
  const author = new AgentAuthor({ settings: await place.settings(), clock: new TestClock() });
  const refusal = { code: "invalid", message: /^Cannot save .*\/daily\.md: id cannot be declared/ };
  await assert.rejects(author.save("daily", "---\nid: x\n---\nGo.\n"), refusal);
  const text = "---\nmodel: {provider: demo, name: echo}\n---\nGo.\n";
  const { path, problems } = await author.save("daily", text);
  assert.equal(path, `${place.agentsDir}/daily.md`);
  assert.deepEqual(problems, []);
  assert.deepEqual([...Deno.readDirSync(place.agentsDir)].map(({ name }) => name), ["daily.md"]);
  const message = /^Cannot save .*\/daily\.md: a file of that name is there already$/;
  await assert.rejects(author.save("daily", "---\n---\nOther.\n"), { code: "conflict", message });

  await Deno.remove(place.agentsDir, { recursive: true });
  await Deno.writeTextFile(place.agentsDir, "a file");
  const storage = (action: string) => ({
    name: "AgentNotSaved",
    code: "storage",
    message: `Cannot ${action} ${place.agentsDir}: a file stands where a folder should`,
  });
  await assert.rejects(author.describeBadId("daily"), storage("look into"));
  await assert.rejects(author.save("daily", text), storage("make the folder"));
  assert.equal(await Deno.readTextFile(place.agentsDir), "a file");
});

Deno.test("AgentAuthor.draft() counts toward the workspace's budget", async () => {
  const text = "---\ndescription: Says hello\n---\nSay hello.\n";
  const usage = { prompt_tokens: 100, completion_tokens: 200 };
  await using server = new OpenAiServer([{ text, usage }]);
  await using place = await createTestWorkspace({ shell: { TZ: "UTC" } });
  await place.configure(`budget: { per_day: 5 }
defaults: { provider: local, model: tiny, base_url: "${server.origin}", max_tokens: 400 }
`);
  // A token of the reply costs one cent.
  const prices = "local/tiny: { input: 0, output: 10000 }\n";
  await Deno.writeTextFile(`${place.configDir}/pricing.yaml`, prices);
  const clock = new TestClock();
  const author = new AgentAuthor({ settings: await place.settings(), clock });
  const request = { id: "hello", description: "Says hello" };
  const { signal } = new AbortController();
  assert.deepEqual(await author.draft(request, signal), { text });
  // The draft reserves four dollars, but the budget has three dollars left.
  const failure = "Budget per_day ($5.00) of the workspace is used up";
  assert.deepEqual(await author.draft(request, signal), { failure });
  server.assertDone();
  await using runtime = await place.open({ clock, mode: "read-only" });
  const [budget] = await runtime.budgets.list();
  assert.deepEqual([budget?.used, budget?.reserved, budget?.left], [2, 0, 3]);
});
