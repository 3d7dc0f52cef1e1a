// Tests the diagnostics of `validate` on a system without a sandbox.
import assert from "node:assert/strict";
import type { ShellSettings } from "../../../runtime/agents/approval/shell_settings.ts";
import { sandboxGap } from "../../../runtime/permissions/sandbox_gap.ts";
import type { SandboxSupport } from "../../../runtime/sandbox/sandbox_support.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { PLAIN_SHELL } from "../tools/shell/shell_fixture.ts";

const missing = (): Promise<SandboxSupport> =>
  Promise.resolve({ problem: "there is none", remedy: "make one" });

Deno.test("validate warns of an agent with programs on a system without a sandbox", async () => {
  await using place = await createTestWorkspace();
  const gapOf = async (sandbox: string, customTools: string[]) => {
    await place.configure(`sandbox: ${sandbox}\n`);
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

Deno.test("validate says of an agent with a shell that every command asks, or that it gets none", async () => {
  await using place = await createTestWorkspace();
  const gapsOf = async (sandbox: string, shell: Partial<ShellSettings>, find: typeof missing) => {
    await place.configure(`sandbox: ${sandbox}\n`);
    const agent = { ...createTestAgent(), shell: { ...PLAIN_SHELL, ...shell } };
    return (await sandboxGap(agent, await place.settings(), find))
      .map(({ field, severity, message }) => `${field} ${severity}: ${message}`);
  };
  assert.deepEqual(await gapsOf("preferred", {}, missing), [
    "shell warning: Every command of the shell asks, whatever shell.allow and auto_approve say: " +
    "there is none. To change that, make one.",
  ]);
  assert.deepEqual(await gapsOf("required", {}, missing), [
    'shell error: The agent gets no shell: config.yaml says "sandbox: required", and there is none. ' +
    "To get one, make one.",
  ]);
  assert.deepEqual(await gapsOf("off", {}, missing), []);
  const bubblewrap = {
    ...{ program: "/usr/bin/bwrap", disablesNamespaces: true, restoresSignals: true },
    countsProcesses: true,
  };
  const withoutSocat = () => Promise.resolve({ bubblewrap });
  assert.deepEqual(await gapsOf("preferred", {}, withoutSocat), []);
  assert.deepEqual(await gapsOf("preferred", { net: ["*"] }, withoutSocat), []);
  const [warning, ...others] = await gapsOf("preferred", { net: ["a.example"] }, withoutSocat);
  assert.match(warning ?? "", /^shell warning: Every command .*: socat is not installed\./);
  assert.deepEqual(others, []);
});
