// Tests that resting runs cost nothing: no timers, no statements, and a bounded start.
import assert from "node:assert/strict";
import { onSqlite } from "../../../support/test_database.ts";
import { until } from "../../../support/until.ts";
import { countStatements } from "../counted_statements.ts";
import { createRestingWorkspace, REST_MS } from "./many_rests.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const MANY = 300;
const DUE = 10;

/** Opens a service with resting runs for three minutes. Returns its statements at the start and after it, and its timers. */
async function restAWhile(count: number) {
  await using world = await createRestingWorkspace(count);
  const { place, clock } = world;
  using counted = countStatements();
  await using runtime = await place.open({ clock });
  await until(() => clock.sleeping > 0, "the timers");
  await clock.advance(0);
  const [start, timers] = [counted.counts.statements, clock.sleeping];
  await clock.advance(3 * MINUTE);
  const later = counted.counts.statements - start;
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0, resting: count });
  return { start, later, timers };
}

onSqlite.test("hundreds of resting runs cost as many timers and statements as one", async () => {
  const [one, many] = [await restAWhile(1), await restAWhile(MANY)];
  assert.deepEqual(many, one);
});

onSqlite.test("of hundreds of resting runs only the due ones continue, each once", async () => {
  await using world = await createRestingWorkspace(MANY);
  const { place, clock } = world;
  await place.run("UPDATE executions SET rests_until = rests_until - ? WHERE id <= ?", HOUR, DUE);
  await using runtime = await place.open({ clock });
  clock.jump(REST_MS - HOUR);
  await clock.advance(0);
  const ended = { statuses: ["success" as const], limit: 100, offset: 0 };
  await until(
    async () => (await runtime.listExecutions(ended)).length === DUE,
    "the due rests end",
  );
  await clock.advance(2 * MINUTE);
  const counts = { running: 0, waiting: 0, resting: MANY - DUE };
  assert.deepEqual(await runtime.countExecutions(), counts);
  const [row] = await place.all<{ ends: number; results: number }>(
    "SELECT count(*) FILTER (WHERE event = 'complete') AS ends, " +
      "count(*) FILTER (WHERE event = 'tool_result') AS results FROM frames",
  );
  assert.deepEqual({ ...row }, { ends: DUE, results: DUE });
});
