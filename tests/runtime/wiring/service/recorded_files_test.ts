// Tests that a service records the agent files and config.yaml that change on the disk.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace } from "../../../support/test_workspace.ts";

Deno.test("a service records changed, broken and removed agent files, and config.yaml, at each start and reload", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("one", [{ say: "Done." }]);
  const changes = async (runtime: Awaited<ReturnType<typeof place.open>>) =>
    (await runtime.audit.listRecords({ limit: 50 })).map(({ via, file, agentId }) =>
      `${via} ${agentId} ${file?.split("/").at(-1)}`
    );
  {
    await using runtime = await place.open();
    assert.deepEqual(await changes(runtime), [
      "disk null config.yaml",
      "disk one one.md",
    ]);
    await runtime.listAgents({ fresh: true });
    assert.equal((await changes(runtime)).length, 2);
    await Deno.writeTextFile(join(place.agentsDir, "one.md"), "---\nbad: [\n---\nText");
    await runtime.reloadAgents();
    assert.deepEqual((await changes(runtime))[0], "disk one one.md");
    assert.equal((await changes(runtime)).length, 3);
    await place.writeScript("two", [{ say: "Done." }]);
    await runtime.reloadAgents();
    assert.deepEqual((await changes(runtime))[0], "disk two two.md");
  }
  await Deno.remove(join(place.agentsDir, "two.md"));
  const config = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(config, "defaults: { max_agent_depth: 2 }\n", { append: true });
  await using runtime = await place.open();
  assert.deepEqual((await changes(runtime)).slice(0, 2).sort(), [
    "disk null config.yaml",
    "disk two two.md",
  ]);
  const [last] = await runtime.audit.listRecords({ file: config, limit: 1 });
  assert.equal(await runtime.audit.readTextBefore(last!), undefined);
});
