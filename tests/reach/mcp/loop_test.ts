import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../runtime/executions/executions_of.ts";
import { KEY } from "../../support/test_service.ts";
import { createMcpWorld, textOfResult } from "./mcp_world.ts";

Deno.test("an agent that calls itself through /mcp is stopped by max_agent_depth", async () => {
  const again = call("loop", { message: "Again" });
  await using world = await createMcpWorld(async (place) => {
    const steps = [{ call: [again] }, { say: "It said: {result}" }];
    await place.writeScript("loop", steps, 'expose: true\nmcp: [self]\nauto_approve: "*"');
    await Deno.mkdir(join(place.agentsDir, "_config"), { recursive: true });
  });
  const { place, runtime, address } = world;
  const servers = { self: { url: address, headers: { Authorization: `Bearer ${KEY}` } } };
  const file = join(place.agentsDir, "_config", "mcp-servers.json");
  await Deno.writeTextFile(file, JSON.stringify(servers));
  const client = await world.connect();
  const result = await client.callTool({ name: "loop", arguments: { message: "Begin" } });
  assert.match(
    textOfResult(result),
    /cannot be called from here: agents may call each other 3 deep/,
  );
  const runs = await runtime.listExecutions({ limit: 50, offset: 0 });
  assert.deepEqual(runs.map(({ depth = 0, status }) => [depth, status]), [
    ...[[3, "success"], [2, "success"], [1, "success"], [0, "success"]],
  ]);
  for (const depth of [4, 99]) {
    const asked = client.callTool({
      name: "loop",
      arguments: { message: "Deep" },
      _meta: { "inkling/depth": depth },
    });
    assert.match(textOfResult(await asked), /cannot be called from here/);
  }
  assert.equal((await runtime.listExecutions({ limit: 50, offset: 0 })).length, 4);
});
