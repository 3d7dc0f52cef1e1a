import assert from "node:assert/strict";
import { runToEnd } from "../../support/test_workspace.ts";
import { createMcpWorld, textOfResult } from "./mcp_world.ts";

const EXPOSED = "expose: true\ndescription: Sums numbers.";
for (const mode of ["legacy", "auto"] as const) {
  Deno.test(`/mcp (${mode}): each exposed agent is a tool, and other agents are unknown`, async () => {
    await using world = await createMcpWorld(async (place) => {
      await place.writeScript("sums", [{ say: "It is 4." }], EXPOSED);
      await place.writeScript("private", [{ say: "Secret." }]);
      await place.writeScript(
        "judge",
        [{ say: '{"ok":true}' }],
        "expose: true\noutput: { schema: { type: object, properties: { ok: { type: boolean } } } }",
      );
    });
    const client = await world.connect({ mode });
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), [
      ...["judge", "sums", "list_agents", "run_agent", "get_execution", "list_pending", "respond"],
      ...["recap", "why"],
    ]);
    const sums = tools.find(({ name }) => name === "sums");
    assert.equal(sums?.description, "Sums numbers.");
    assert.deepEqual(sums?.inputSchema["required"], ["message"]);
    const result = await client.callTool({ name: "sums", arguments: { message: "2 + 2" } });
    assert.deepEqual([textOfResult(result), result.isError], ["It is 4.", undefined]);
    const judged = await client.callTool({ name: "judge", arguments: { message: "Well?" } });
    assert.deepEqual(judged.structuredContent, { ok: true });

    await assert.rejects(
      async () => await client.callTool({ name: "private", arguments: { message: "x" } }),
      /Unknown tool/,
    );
    const id = (await runToEnd(world.runtime, "private")).id;
    for (
      const [name, args] of [
        ["run_agent", { agent_id: "private", message: "x" }],
        ["get_execution", { execution_id: id }],
        ["why", { agent_id: "private" }],
        ["respond", { execution_id: id, request_id: "x", text: "x" }],
      ] as const
    ) {
      const refused = await client.callTool({ name, arguments: args });
      assert.equal(refused.isError, true, name);
      assert.match(textOfResult(refused), /not found/);
    }
    const hidden = { uri: `inkling://executions/${id}` };
    await assert.rejects(async () => await client.readResource(hidden), /not found|Resource/i);
    const listed = await client.callTool({ name: "list_agents" });
    assert.doesNotMatch(textOfResult(listed), /private/);
    const recap = await client.callTool({ name: "recap" });
    assert.equal(JSON.parse(textOfResult(recap)).executions.total, 2);
    assert.doesNotMatch(textOfResult(recap), /private|downtimes/);
    const wrong = await client.callTool({ name: "sums", arguments: { text: "x" } });
    assert.equal(wrong.isError, true);
    assert.equal((await world.runtime.listExecutions({ limit: 50, offset: 0 })).length, 3);
  });
}
