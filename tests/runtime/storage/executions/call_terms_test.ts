// Tests that equal terms of model calls are stored once, and removed with the last call that refers to them.
import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";

Deno.test("equal terms of calls are stored once, and removed with the last reference", async () => {
  await using place = await createTestWorkspace();
  const write = (lines: string) =>
    place.writeScript("one", [
      { call: [{ name: "file_glob", arguments: { pattern: "*" } }] },
      { say: "Done." },
    ], lines);
  const digests = async () => (await place.all("SELECT digest FROM call_terms")).length;
  await write("");
  await using runtime = await place.open();
  for (let n = 0; n < 3; n++) await runToEnd(runtime, "one");
  assert.equal(await digests(), 2, "the tools, and the settings");
  await write("settings: { temperature: 0.1 }");
  await runtime.reloadAgents();
  await runToEnd(runtime, "one");
  assert.equal(await digests(), 3, "another setting copies no tools");
  await runtime.purgeCheckpoints({ force: false });
  assert.equal(await digests(), 2, "those of the newest conversation");
  await runtime.purgeCheckpoints({ force: true });
  assert.equal(await digests(), 0);
});

Deno.test("replay() reports that it cannot compare tools and settings of an old record", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("one", [{ say: "Done." }]);
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await runToEnd(runtime, "one"));
  }
  await place.run("UPDATE messages SET terms = NULL");
  await using runtime = await place.open({ mode: "read-only" });
  const { differences, notes } = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual(differences, []);
  assert.deepEqual(notes, ["Recorded by an older version: tools and settings are not compared"]);
});
