// Tests of rests on PostgreSQL: a database of the version before rests, and the death of the node of a resting run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { MARKS_TABLE } from "../../../runtime/storage/postgres/change_marks.ts";
import { STEPS } from "../../../runtime/storage/postgres/schema.ts";
import { MIGRATIONS, RUN_RESTS } from "../../../runtime/storage/sqlite/migrations.ts";
import { sharePostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { startAndDie } from "../../e2e/crash/start_and_die.ts";
import { type NodeWorld, testNodes as test } from "./node_world.ts";

sharePostgres();

const HOUR = 3_600_000;
const REST = { name: "wait", arguments: { for: "2h", reason: "the backup" } };

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

test("after a kill -9 of the node whose run rests, one other node ends the rest", async (world) => {
  await world.workspace.writeScript("rests", [{ call: [REST] }, { say: "Done." }]);
  const { root, shell } = world.workspace;
  // The rest begins on a node that is killed at once. Its settings are those of a node that is opened here.
  await (await world.open("one"))[Symbol.asyncDispose]();
  const own = {
    INKLING_CONFIG_DIR: join(root, "config-one"),
    INKLING_STATE_DIR: join(root, "state-one"),
  };
  await startAndDie({ root, shell: { ...shell, ...own } }, {
    start: ["rests"],
    deaths: [{ agent: "rests", method: "restExecution", when: "after", nth: 1 }],
  });
  // Nodes that run before could take the run. The killed process had the time of the machine.
  const clock = new TestClock(new Date().toISOString());
  await using two = await world.open("two", "", { clock });
  await using _three = await world.open("three", "", { clock });
  assert.deepEqual(await two.countExecutions(), { running: 0, waiting: 0, resting: 1 });
  clock.jump(2 * HOUR);
  await until(async () => {
    // The nodes read the rests every minute, because a dead node announces nothing.
    await clock.advance(60_000);
    return (await two.getExecution(1)).status === "success";
  }, "the rest ends");
  const { durationMs } = await two.getExecution(1);
  assert.ok((durationMs ?? 0) < HOUR, "the rest does not count");
  const [row] = await world.query(
    "SELECT i.name, epoch, count(*) FILTER (WHERE event = 'tool_result') AS results, " +
      "count(*) FILTER (WHERE event = 'complete') AS ends FROM inkling.executions e " +
      "JOIN inkling.instances i ON i.id = e.instance_id " +
      "JOIN inkling.frames f ON f.execution_id = e.id GROUP BY i.name, epoch",
  );
  const { name, ...counts } = row ?? {};
  assert.ok(name === "two" || name === "three", `the rest ended on ${name}`);
  // One claim before the rest, and one after it.
  assert.deepEqual(counts, { epoch: "2", results: "1", ends: "1" });
});
