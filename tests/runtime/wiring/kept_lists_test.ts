// Tests that the lists of executions and agents that a service keeps in memory show every change.
import assert from "node:assert/strict";
import { join } from "node:path";
import { TestClock } from "../../support/test_clock.ts";
import { onSqlite, SQLITE } from "../../support/test_database.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";
import { openTestStore } from "../../support/test_store.ts";

const PAGE = { limit: 9, offset: 0 };

Deno.test("a secret that is added later is hidden in executions that were listed before", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", [{ say: "Done." }]);
  await using runtime = await place.open();
  await runToEnd(runtime, "writer", { args: ["tok-12345678"] });
  const shown = async () => [
    (await runtime.listExecutions(PAGE))[0]?.args,
    (await runtime.listRuns("writer", PAGE))[0]?.args,
    (await runtime.listAgents())[0]?.lastExecution?.args,
  ];
  for (let call = 0; call < 2; call++) {
    assert.deepEqual(await shown(), Array(3).fill(["tok-12345678"]));
  }
  await Deno.writeTextFile(join(place.configDir, ".env"), "LATE_TOKEN=tok-12345678\n");
  assert.deepEqual(await shown(), Array(3).fill(["[redacted:LATE_TOKEN]"]));
});

Deno.test("a run stores no secret that was added right before its start", async () => {
  await using place = await createTestWorkspace();
  const text = "The token is tok-12345678.";
  await place.writeScript("writer", [{ say: text }]);
  // The test clock does not move, so the second run starts at the time of the first run's last redaction.
  await using runtime = await place.open({ clock: new TestClock() });
  await runToEnd(runtime, "writer", {});
  await Deno.writeTextFile(join(place.configDir, ".env"), "LATE_TOKEN=tok-12345678\n");
  await runToEnd(runtime, "writer", {});
  const sql = "SELECT output_data AS text FROM executions ORDER BY id";
  const texts = (await place.all<{ text: string }>(sql)).map((row) => row.text);
  assert.deepEqual(texts, [text, "The token is [redacted:LATE_TOKEN]."]);
});

Deno.test("lists show each change of an execution and of an agent", SQLITE, async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("writer", [{ say: "Done." }]);
  await using runtime = await place.open();
  const lists = async () => [await runtime.listExecutions(PAGE), await runtime.listAgents()];
  const before = await lists();
  await runToEnd(runtime, "writer", {});
  const after = await lists();
  assert.deepEqual(after.map((list, index) => list === before[index]), [false, false]);
  assert.equal((await runtime.listAgents())[0]?.lastExecution?.status, "success");
  const same = await lists();
  assert.deepEqual(same.map((list, index) => list === after[index]), [true, true]);
  // Another process changes the database.
  await place.run("UPDATE executions SET error = 'Changed'");
  assert.equal((await runtime.listExecutions(PAGE))[0]?.error, "Changed");
  assert.equal((await runtime.listAgents())[0]?.lastExecution?.error, "Changed");
  await place.writeScript("writer", [{ say: "Done." }], "description: Writes");
  await runtime.reloadAgents();
  assert.equal((await runtime.listAgents())[0]?.agent.description, "Writes");
});

onSqlite.test("counts and lists of executions show each change and each rollback", async () => {
  await using store = await openTestStore();
  const count = async () => (await store.executions.countOpen()).running;
  assert.equal(await count(), 0);
  const { id } = await store.accept();
  assert.equal(await count(), 1);
  const insert = "UPDATE executions SET status = 'success' WHERE id = ?";
  assert.throws(() =>
    store.sqlite().transaction("process", () => {
      store.sqlite().run(insert, id);
      throw new Error("undone");
    })
  );
  assert.equal(await count(), 1);
  await store.run(insert, id);
  assert.equal(await count(), 0);
  const find = () => store.executions.listExecutions(PAGE);
  const listed = await find();
  assert.equal(await find(), listed);
  await store.run("DELETE FROM executions WHERE id = ?", id);
  assert.deepEqual(await find(), []);
});
