import assert from "node:assert/strict";
import { createTestPostgres, withPostgres } from "../../support/postgres.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

withPostgres.test("a run waits for a node with the required label, and reports the wait", async () => {
  await using shared = await createTestPostgres();
  await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: "" } });
  const start = async (name: string, labels: string) => {
    const database = shared.address.replace("inkling@", "inkling:s3cret@");
    await place.configure(
      `database: ${database}\n` +
        `node: { name: ${name}, labels: [${labels}] }\n`,
    );
    place.shell["INKLING_STATE_DIR"] = `${place.root}/state-${name}`;
    return await place.open();
  };
  await place.writeScript("trainer", [{ say: "Trained." }], "nodes: [gpu]");
  await using attic = await start("attic", "linux");
  const { kind, place: address } = attic.storage;
  assert.deepEqual([kind, address], ["postgres", shared.address]);
  const { id } = await attic.run("trainer", {});
  assert.deepEqual((await attic.getExecution(id)).waitsForLabels, ["gpu"]);
  const [listed] = await attic.listExecutions({ limit: 1, offset: 0 });
  assert.deepEqual(listed?.waitsForLabels, ["gpu"]);
  assert.deepEqual((await attic.getAgent("trainer")).lastExecution?.waitsForLabels, ["gpu"]);
  {
    await using cellar = await start("cellar", "linux, gpu");
    const isDone = async () => (await attic.getExecution(id)).status === "success";
    await until(isDone, "the other node runs it");
    assert.ok(!("waitsForLabels" in await attic.getExecution(id)));
    const seenFrom = async (runtime: typeof attic) =>
      (await runtime.listNodes()).map(({ name, labels, isAlive, isThis }) => ({
        ...{ name, labels, isAlive, isThis },
      }));
    const nodes = [
      { name: "attic", labels: ["linux"], isAlive: true, isThis: true },
      { name: "cellar", labels: ["linux", "gpu"], isAlive: true, isThis: false },
    ];
    assert.deepEqual(await seenFrom(attic), nodes);
    assert.deepEqual(await seenFrom(cellar), nodes.map((one) => ({ ...one, isThis: !one.isThis })));
  }
  // A node that was stopped regularly is not listed.
  assert.deepEqual((await attic.listNodes()).map(({ name }) => name), ["attic"]);
});
