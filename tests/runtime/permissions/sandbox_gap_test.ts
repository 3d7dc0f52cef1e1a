// Tests the diagnostics of `validate` on a system without a sandbox.
import assert from "node:assert/strict";
import { join } from "node:path";
import { sandboxGap } from "../../../runtime/permissions/sandbox_gap.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const missing = () => Promise.resolve({ problem: "there is none", remedy: "make one" });

Deno.test("validate warns of an agent with programs on a system without a sandbox", async () => {
  await using place = await createTestWorkspace();
  const gapOf = async (sandbox: string, customTools: string[]) => {
    const config = `workspace: ${place.workspace}\nsandbox: ${sandbox}\n`;
    await Deno.writeTextFile(join(place.configDir, "config.yaml"), config);
    return await sandboxGap(createTestAgent({ customTools }), await place.settings(), missing);
  };
  const [warning] = await gapOf("preferred", ["search"]);
  assert.equal(warning?.severity, "warning");
  const expected = /run without a sandbox: there is none\. To get one, make one\./;
  assert.match(warning?.message ?? "", expected);
  const [refusal] = await gapOf("required", ["search"]);
  assert.equal(refusal?.severity, "error");
  assert.match(refusal?.message ?? "", /"sandbox: required", and there is none/);
  assert.deepEqual(await gapOf("off", ["search"]), []);
  assert.deepEqual(await gapOf("required", []), []);
});
