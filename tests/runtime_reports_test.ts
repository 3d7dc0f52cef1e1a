// What a whole runtime tells of its work: usage by day, its log, the next times of its schedules.
import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd } from "./support/test_workspace.ts";
import { TestClock } from "./support/test_clock.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");

Deno.test("Runtime.usage() tells what its executions used today, and that nothing ran before", async () => {
  await using world = await createTestWorkspace();
  await world.writeScript("writer", [
    { say: "Done", usage: { input: 120, output: 30 }, cost_usd: 0.25 },
  ]);
  await using runtime = await world.open();
  await runToEnd(runtime, "writer");
  await runToEnd(runtime, "writer");
  const { days, entries } = await runtime.usage({ days: 3, timeZone: "UTC" });
  assert.equal(days.length, 3);
  // Two entries, where midnight fell between the two.
  assert.ok(entries.every(({ agentId }) => agentId === "writer"));
  const sum = (name: "executions" | "succeeded" | "totalTokens" | "costUsd") =>
    entries.reduce((total, one) => total + (one[name] ?? 0), 0);
  assert.deepEqual([sum("executions"), sum("succeeded"), sum("totalTokens"), sum("costUsd")], [
    ...[2, 2, 300],
    0.5,
  ]);
});

Deno.test("Runtime.readLog() shows no secret, whoever wrote it into the file", async () => {
  await using world = await createTestWorkspace({ shell: { MY_TOKEN: "tok-12345678" } });
  await using runtime = await world.open();
  const { logFile } = runtime.directories;
  await Deno.writeTextFile(logFile, "first\nuncaught: tok-12345678 refused\n");
  assert.deepEqual(await runtime.readLog({ lines: 10 }), [
    "first",
    "uncaught: [redacted:MY_TOKEN] refused",
  ]);
});

Deno.test("Runtime.scheduler() tells as many of the next times as are asked for", async () => {
  await using world = await createTestWorkspace();
  await world.writeScript(
    "hourly",
    [{ say: "x" }],
    'trigger: { type: schedule, cron: "0 * * * *", timezone: UTC }',
  );
  await world.writeScript("watcher", [{ say: "x" }], "trigger: { type: watch, paths: [in] }");
  await using runtime = await world.open({ clock: new TestClock(NOW) });
  const [hourly, watcher] = (await runtime.scheduler({ upcoming: 3 })).jobs;
  const hour = 3_600_000;
  assert.deepEqual(hourly?.upcoming, [NOW + hour, NOW + 2 * hour, NOW + 3 * hour]);
  assert.equal(hourly?.nextRun, NOW + hour);
  assert.deepEqual(watcher?.upcoming, []);
  assert.deepEqual((await runtime.scheduler()).jobs[0]?.upcoming, []);
});
