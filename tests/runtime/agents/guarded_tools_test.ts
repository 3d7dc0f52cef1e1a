import assert from "node:assert/strict";
import { isGuarded } from "../../../runtime/agents/guarded_tools.ts";
import { agentOf, configOf } from "./parsed_file.ts";

Deno.test("isGuarded() does not free a server's tool named shell by the entry for the built-in shell", () => {
  const config = configOf("defaults: {mcp_confirm: all}");
  const origin = { server: "ops", tool: "shell", isReadOnly: false };
  const served = { name: "shell", otherNames: ["shell", "ops_shell"], origin };
  const cases: [yaml: string, isAsking: boolean][] = [
    ["mcp: [ops]\nshell: true\nauto_approve: [shell]", true],
    ["mcp: [ops]\nshell: true\nauto_approve: [shell]\nconfirm: [shell]", true],
    ["mcp: [ops]\nshell: true\nauto_approve: [ops/shell]", false],
    ["mcp: [ops]\nauto_approve: [shell]", false],
  ];
  for (const [yaml, isAsking] of cases) {
    assert.equal(isGuarded(agentOf(yaml, { config }), served), isAsking, yaml);
  }
});

Deno.test("isGuarded() frees the built-in shell by its entry, and no custom tool that took its name", () => {
  const agent = agentOf('shell: true\nauto_approve: [shell]\nconfirm: ["*"]');
  assert.equal(isGuarded(agent, { name: "shell" }), true);
  assert.equal(isGuarded(agent, { name: "shell", approval: {} }), false);
  const plain = agentOf('auto_approve: [shell]\nconfirm: ["*"]');
  assert.equal(isGuarded(plain, { name: "shell" }), false);
});
