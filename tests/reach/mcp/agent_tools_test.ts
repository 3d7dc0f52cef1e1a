import assert from "node:assert/strict";
import { nameAgentTools } from "../../../reach/mcp/agent_tools.ts";
import { TOOL_NAMES } from "../../../reach/mcp/tools.ts";

Deno.test("nameAgentTools() returns valid and different names that are no fixed tool's", () => {
  const ids = [
    ...["sums", "why", "run_agent", "Zoë's notes", "a/b", "a b", "日本", "天気", "-x", "__proto__"],
    ...["x".repeat(200), `${"x".repeat(200)}y`],
  ];
  const named = nameAgentTools(ids.map((id) => ({ id })), TOOL_NAMES);
  const names = [...named.keys()];
  assert.deepEqual([...named.values()].map(({ id }) => id), ids, "each agent has a tool");
  for (const name of names) {
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.ok(!TOOL_NAMES.has(name), name);
  }
  assert.deepEqual(names.slice(0, 8), [
    ...["sums", "why_2", "run_agent_2", "Zoe_s_notes", "a_b", "a_b_2", "agent", "agent_2"],
  ]);
});
