import assert from "node:assert/strict";
import { listAgentNames } from "../../../runtime/agents/agent_names.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("listAgentNames() gives the ids of agent files in order, and of nothing else", async () => {
  await withTempDir(async (dir) => {
    for (const name of ["write.md", "ask.md", "notes.txt", ".hidden.md", "UP.MD"]) {
      await Deno.writeTextFile(`${dir}/${name}`, "not even an agent");
    }
    await Deno.mkdir(`${dir}/folder.md`);
    assert.deepEqual(await listAgentNames(dir), ["ask", "write"]);
  });
});

Deno.test("listAgentNames() finds none where there is no folder, and does not hide other failures", async () => {
  await withTempDir(async (dir) => {
    assert.deepEqual(await listAgentNames(`${dir}/agents`), []);
    await Deno.writeTextFile(`${dir}/agents`, "a file");
    await assert.rejects(listAgentNames(`${dir}/agents`), Deno.errors.NotADirectory);
  });
});
