// Tests changes of an agent after a recorded run: a replay finds each change at its first effect, and reports no change
// without an effect.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { PlantedChange } from "../../../proof/replay/planted_changes.ts";
import { CHANGES, NO_CHANGES, writeSurroundings } from "../../../proof/replay/planted_changes.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { IS_POSTGRES } from "../../support/test_database.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";
import { answerToEnd } from "../executions/executions_of.ts";

async function assertFound(
  runtime: Runtime,
  id: number,
  { name, found }: Pick<PlantedChange, "name" | "found">,
): Promise<void> {
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  const [first] = differences;
  const expected = found && { call: found.call, kind: found.kind };
  const at = first && { call: first.call, kind: first.kind };
  assert.deepEqual(at, expected, `${name}: ${JSON.stringify(first)}`);
  if (found === undefined) return;
  assert.match(first?.what ?? "", found.what, name);
  assert.notEqual(first?.recorded, first?.today, name);
}

Deno.test("replay() finds each planted change at its first effect, and no change without an effect", async () => {
  await using place = await createTestWorkspace({ shell: { OWNER: "Ada" } });
  await using copy = await createTempDir();
  await writeSurroundings(place);
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await runToEnd(runtime, "keeper", { args: ["all"] }));
    assert.equal((await answerToEnd(runtime, id, { approved: true })).status, "success");
  }
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  await cp(place.root, copy.path, options);
  const restore = async (folders: readonly string[]) => {
    for (const folder of folders) {
      await Deno.remove(join(place.root, folder), { recursive: true });
      await cp(join(copy.path, folder), join(place.root, folder), options);
    }
  };
  const changes = Map.groupBy(CHANGES, ({ atStart }) => atStart === true);
  {
    await using runtime = await place.open({ mode: "read-only" });
    for (const change of changes.get(false) ?? []) {
      await change.plant(place, "keeper");
      await assertFound(runtime, id, change);
      await restore(["work/agents"]);
    }
  }
  for (const change of changes.get(true) ?? []) {
    if (IS_POSTGRES) continue;
    await change.plant(place, "keeper");
    {
      await using runtime = await place.open({ mode: "read-only" });
      await assertFound(runtime, id, change);
    }
    await restore(["state"]);
  }
  // Several changes without an effect are not reported even together.
  for (const change of NO_CHANGES) await change.plant(place, "keeper");
  await using runtime = await place.open({ mode: "read-only" });
  await assertFound(runtime, id, { name: NO_CHANGES.map(({ name }) => name).join(", ") });
});
