import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";

/** Two spellings of one id: a composed letter, and a letter with its accent behind it. */
const [COMPOSED, APART] = ["café", "cafe\u0301"];

Deno.test("an agent whose file is gone is known by what it left, however its id is spelled", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(COMPOSED, [{ say: "hello" }]);
  await using runtime = await place.open();
  const page = { limit: 10, offset: 0 };
  for (let count = 0; count < 3; count++) await runToEnd(runtime, COMPOSED);
  for (const isThere of [true, false]) {
    if (!isThere) {
      await Deno.remove(`${place.agentsDir}/${COMPOSED}.md`);
      await runtime.reloadAgents();
    }
    assert.equal((await runtime.listRuns(APART, page)).length, 3);
    assert.equal((await runtime.listExecutions({ agentId: APART, ...page })).length, 3);
    assert.deepEqual(await runtime.listSlots(APART, page), []);
  }
  assert.equal(await runtime.purgeCheckpoints({ agentId: APART, force: false }), 2);

  const unknown = { name: "AgentNotFound" };
  await assert.rejects(runtime.listRuns("nobody", page), unknown);
  await assert.rejects(runtime.listSlots("nobody", page), unknown);
  await assert.rejects(runtime.purgeCheckpoints({ agentId: "nobody", force: true }), unknown);
});
