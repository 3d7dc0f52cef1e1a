// A test of rests in a database of the version before rests.
import assert from "node:assert/strict";
import { MARKS_TABLE } from "../../../runtime/storage/postgres/change_marks.ts";
import { STEPS } from "../../../runtime/storage/postgres/schema.ts";
import { MIGRATIONS, RUN_RESTS } from "../../../runtime/storage/sqlite/migrations.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { type NodeWorld, testNodes as test } from "./node_world.ts";

sharePostgres();

const HOUR = 3_600_000;

/** Replaces the tables of the database by the ones of the version before rests. */
async function revertToTimeBeforeRests(world: NodeWorld): Promise<void> {
  const steps = STEPS.slice(0, MIGRATIONS.indexOf(RUN_RESTS));
  await world.query([
    "DROP SCHEMA inkling CASCADE",
    "CREATE SCHEMA inkling",
    "SET search_path = inkling",
    "CREATE TABLE schema_steps (version BIGINT PRIMARY KEY)",
    MARKS_TABLE,
    ...steps,
    ...steps.map((_, index) => `INSERT INTO schema_steps VALUES (${index + 1})`),
  ].join(";\n"));
}

test("a run that waited for its retry in an older version rests after the migration, and goes on once", async (world) => {
  const clock = new TestClock();
  const at = clock.now() + HOUR;
  await world.workspace.writeScript("report", [{ say: "Done." }], "on_restart: orphan");
  await revertToTimeBeforeRests(world);
  const waiting = { at, attempt: 1, of: 3, reason: 'It said "no"' };
  await world.query("INSERT INTO inkling.instances (id, pid, started_at) VALUES ('old', 1, 0)");
  for (const retry of [waiting, { ...waiting, isUnderWay: true }]) {
    await world.query(
      "INSERT INTO inkling.executions (agent_id, display_name, status, trigger, request, model, started_at, instance_id, retry) " +
        "VALUES ('report', 'report', 'running', 'manual', '{\"args\":[]}', '', 0, 'old', $1)",
      [JSON.stringify(retry)],
    );
  }
  await using one = await world.open("one", "", { clock });
  await using two = await world.open("two", "", { clock });
  const { status, rest, retry } = await two.getExecution(1);
  assert.deepEqual(
    [status, rest?.until, rest?.reason, retry?.attempt],
    ["running", at, 'It said "no"', 1],
  );
  // The old version had begun the other retry, so its run was interrupted.
  assert.equal((await toEnd(one, 2)).status, "orphaned");
  assert.deepEqual(await one.countExecutions(), { running: 0, waiting: 0, resting: 1 });
  clock.jump(HOUR);
  await clock.advance(60_000);
  assert.equal((await toEnd(two, 1)).status, "success");
  const ends = "SELECT count(*) AS n FROM inkling.frames WHERE execution_id = 1 AND event = $1";
  for (const event of ["final_answer", "complete"]) {
    assert.deepEqual(await world.query(ends, [event]), [{ n: "1" }], event);
  }
});
