// API conformance: the scheduler.
import assert from "node:assert/strict";
import { SchedulerBody } from "../../../api/schemas/scheduler_schemas.ts";
import { overTcp as test } from "./both_transports.ts";
import { until } from "../../support/until.ts";

test("GET /scheduler returns the status and the jobs, each with next_run", async ({ call, workspace, client }) => {
  await workspace.writeScript(
    "hourly",
    [{ say: "x" }],
    "name: Hourly\ntrigger: { type: schedule, every: 1h }",
  );
  await workspace.writeScript("watcher", [{ say: "x" }], "trigger: { type: watch, paths: [in] }");
  await workspace.writeScript(
    "off",
    [{ say: "x" }],
    "enabled: false\ntrigger: { type: schedule, cron: '0 8 * * *' }",
  );
  await client.reload();
  const { status, body } = await call("/scheduler");
  assert.equal(status, 200);
  assert.deepEqual(SchedulerBody.parse(body), body);
  assert.equal(body.status, "running");
  const [hourly, watcher, ...others] = body.jobs;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [hourly.agent_id, hourly.display_name, hourly.agent_name, hourly.trigger_type, hourly.every],
    ["hourly", "Hourly", "hourly", "schedule", "1h"],
  );
  assert.deepEqual([watcher.agent_id, watcher.trigger_type, watcher.next_run], [
    "watcher",
    "watch",
    null,
  ]);
  assert.equal(watcher.paths.length, 1);
});

test("pause and resume are idempotent and publish each real change once", async ({ call, client }) => {
  const seen: unknown[] = [];
  const events = client.events();
  const reading = (async () => {
    for await (const { event, payload } of events) seen.push([event, payload["status"]]);
  })();
  await until(async () => (await client.info()).active_streams === 1, "1 open streams");
  for (const step of ["resume", "pause", "pause", "resume", "resume", "pause"]) {
    const expected = step === "pause" ? "paused" : "running";
    const { status, body } = await call(`/scheduler/${step}`, { method: "POST" });
    assert.deepEqual([status, body], [200, { status: expected }]);
    assert.equal((await call("/scheduler")).body.status, expected);
    assert.equal((await call("/info")).body.scheduler_status, expected);
  }
  await client.shutdown();
  await reading;
  assert.deepEqual(seen, [
    ["scheduler_changed", "paused"],
    ["scheduler_changed", "running"],
    ["scheduler_changed", "paused"],
    ["shutdown", undefined],
  ]);
});

test("a pause does not block or cancel a manual run, and survives a restart", async (on) => {
  await on.workspace.writeScript("slow", [{ delay_ms: 100, say: "Done." }]);
  await on.client.reload();
  const { execution_id } = await on.client.run("slow");
  await on.client.pauseScheduler();
  assert.equal((await on.runToEnd("writer")).status, "success");
  await on.framesOf(execution_id);
  assert.equal((await on.client.execution(execution_id)).status, "success");
  assert.equal((await on.client.health()).status, "ok");
  await on.restart();
  assert.equal((await on.client.scheduler()).status, "paused");
  await on.client.resumeScheduler();
  await on.restart();
  assert.equal((await on.client.scheduler()).status, "running");
});
