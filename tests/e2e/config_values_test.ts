// Tests that each setting of config.yaml has an effect in the running service. The values differ from the defaults, so that
// an ignored setting fails the test.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { Client } from "../../api/client/client.ts";
import { createRealHome, type RealHome, untilFound } from "./real_process.ts";

const delegate = (id: string) => [{ name: "run_agent", arguments: { agent_id: id } }];

Deno.test("a service uses the settings of config.yaml", async () => {
  await using home = await createRealHome({ shell: { OPENAI_API_KEY: "sk-of-the-provider-0123" } });
  await home.configure(
    [
      "defaults: { max_concurrent_runs: 1, max_agent_depth: 1, pin_keys: true }",
      "http: { allow: [127.0.0.1] }",
      "service: { port: 0, keep_alive: true }",
    ].join("\n"),
  );
  const key = "secret-0123456789";
  await Deno.writeTextFile(join(home.configDir, ".env"), `INKLING_API_KEY=${key}\n`);
  await home.writeScript(
    "top",
    [{ call: delegate("middle") }, { say: "Top." }],
    "agents: [middle]",
  );
  await home.writeScript("middle", [{ call: delegate("low") }, { say: "Mid." }], "agents: [low]");
  await home.writeScript("low", [{ say: "Low." }]);
  await home.writeScript("thinker", [{ say: "At last.", delay_ms: 600_000 }]);
  await home.writeAgent(
    "foreign",
    "---\nmodel: { provider: openai, name: m, base_url: http://models.invalid/v1 }\n---\nHello.\n",
  );
  // A service that `run` starts uses the configured port, too.
  await home.succeed("run", "top");
  using client = home.client();
  const { transports, keep_alive } = await client.info();
  assert.equal(keep_alive, true);
  const own = transports.find((one) => one.startsWith("tcp://"))?.replace("tcp:", "http:");
  for (const [sent, status] of [[key, 200], ["another", 401]] as const) {
    const answer = await fetch(`${own}/agents`, { headers: { "x-api-key": sent } });
    await answer.body?.cancel();
    assert.equal(answer.status, status);
  }

  // http.allow permits every port of this machine except the service's own.
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("it answers"),
  );
  const calls = [`http://127.0.0.1:${site.addr.port}/`, `${own}/health`]
    .map((url) => ({ name: "http_request", arguments: { url } }));
  await home.writeScript("caller", [{ call: calls }, { say: "Called." }]);
  await client.reload();
  const caller = await runToEnd(client, "caller");
  const [other, self] = await resultsOf(client, caller.id);
  assert.match(other ?? "", /it answers/);
  assert.match(self ?? "", /this is the service's own port/);

  // The setting defaults.max_agent_depth stops the chain of delegations.
  await runToEnd(client, "top");
  const [middle] = await client.runs("middle");
  assert.ok(middle !== undefined);
  const [refused] = await resultsOf(client, middle.id);
  assert.match(
    refused ?? "",
    /"low" cannot be called from here: agents may call each other 1 deep/,
  );
  assert.deepEqual(await client.runs("low"), []);

  // The setting defaults.pin_keys keeps the key from another host.
  const { status, error } = await runToEnd(client, "foreign");
  assert.equal(status, "error");
  assert.match(error ?? "", /OPENAI_API_KEY goes to models\.invalid.*defaults\.pin_keys is set/);

  // The setting defaults.max_concurrent_runs delays a second run.
  for (const _ of ["first", "second"]) await client.run("thinker");
  await untilFound(
    "a model call that waits for another",
    async () =>
      (await logOf(home)).includes("Model call waits: as many run as max_concurrent_runs allows") ||
      undefined,
  );
  for (const { id } of await client.runs("thinker")) await client.cancel(id);
});

async function runToEnd(client: Client, agentId: string): Promise<ExecutionDetail> {
  const { execution_id } = await client.run(agentId);
  await Array.fromAsync(client.follow(execution_id));
  return await client.execution(execution_id);
}

/** Returns the results of an execution's tool calls, in the order of the calls. */
async function resultsOf(client: Client, id: number): Promise<string[]> {
  const frames = await Array.fromAsync(client.follow(id));
  return frames.filter(({ event }) => event === "tool_result")
    .map(({ payload }) => String(payload["content"]));
}

function logOf({ stateDir }: RealHome): Promise<string> {
  return Deno.readTextFile(join(stateDir, "inkling.log"));
}
