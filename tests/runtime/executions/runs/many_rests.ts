// A workspace with any number of resting runs, for tests and benchmarks on SQLite.
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { call, doing } from "../executions_of.ts";

const START = "2026-03-01T00:00:00.000Z";
/** The time for which the runs rest. */
export const REST_MS = 20 * 86_400_000;

/** A workspace with resting runs, and the clock at which they began to rest. */
export interface RestingWorkspace extends AsyncDisposable {
  place: TestWorkspace;
  clock: TestClock;
}

/** Creates a workspace with `count` resting runs. One of them is run, and its rows are copied for the others. */
export async function createRestingWorkspace(count: number): Promise<RestingWorkspace> {
  const place = await createTestWorkspace();
  const clock = new TestClock(START);
  await place.writeScript("rests", doing(call("wait", { for: "20d", reason: "the backup" })));
  {
    await using runtime = await place.open({ clock });
    const { id } = await runtime.run("rests", {});
    await until(async () => (await runtime.getExecution(id)).rest !== undefined, "it rests");
  }
  for (const table of ["executions", "messages", "tool_calls", "frames"]) {
    const columns = (await place.all<{ name: string }>(
      "SELECT name FROM pragma_table_info(?)",
      table,
    )).map(({ name }) => name);
    const key = table === "executions" ? "id" : "execution_id";
    const copied = columns.filter((name) => name !== key && name !== "id");
    const list = copied.map((name) => `"${name}"`).join(", ");
    await place.run(
      `INSERT INTO ${table} (${key}, ${list}) WITH RECURSIVE n (i) AS ` +
        "(SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
        `SELECT i, ${list} FROM n, ${table} WHERE i <= ? AND ${key} = 1`,
      count,
      count,
    );
  }
  return { place, clock, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}
