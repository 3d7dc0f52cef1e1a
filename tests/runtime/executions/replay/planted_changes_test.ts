// Changes of an agent behind a recorded run: each is found at its first effect, and what changes nothing is not told.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { CHANGES, NO_CHANGES } from "../../../../proof/replay/planted_changes.ts";
import { writeSurroundings } from "../../../../proof/replay/planted_changes.ts";
import { SQLITE } from "../../../support/test_database.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";
import { answerToEnd } from "../executions_of.ts";

/** The recorded run, and a copy of all its files: each change is planted into these anew. */
async function record() {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace({ shell: { OWNER: "Ada" } }));
  const copy = await Deno.makeTempDir();
  opened.defer(() => Deno.remove(copy, { recursive: true }));
  await writeSurroundings(place);
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await runToEnd(runtime, "keeper", { args: ["all"] }));
    assert.equal((await answerToEnd(runtime, id, { approved: true })).status, "success");
  }
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  await cp(place.root, copy, options);
  const restore = async () => {
    for (const { name } of Deno.readDirSync(place.root)) {
      await Deno.remove(join(place.root, name), { recursive: true });
    }
    await cp(copy, place.root, options);
  };
  const close = opened.move();
  return { place, id, restore, [Symbol.asyncDispose]: () => close.disposeAsync() };
}

let recorded: ReturnType<typeof record> | undefined;
Deno.test.afterAll(async () => await (await recorded)?.[Symbol.asyncDispose]());

for (const change of [...CHANGES, ...NO_CHANGES]) {
  const told = change.found === undefined ? "is not told" : "is found at its first effect";
  const options = change.isStored === true ? SQLITE : {};
  Deno.test(`replay(): ${change.name} ${told}`, options, async () => {
    const { place, id, restore } = await (recorded ??= record());
    await restore();
    await change.plant(place, "keeper");
    await using runtime = await place.open({ mode: "read-only" });
    const { differences } = await runtime.replays.replay(id, { withAllTools: false });
    if (change.found === undefined) {
      assert.deepEqual(differences, []);
      return;
    }
    const [first] = differences;
    const expected = { call: change.found.call, kind: change.found.kind };
    assert.deepEqual({ call: first?.call, kind: first?.kind }, expected, JSON.stringify(first));
    assert.match(first?.what ?? "", change.found.what);
    assert.notEqual(first?.recorded, first?.today);
  });
}
