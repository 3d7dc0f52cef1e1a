import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { scheduled, ScheduledService, timeOf } from "./scheduled_service.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOT_RUNNING = "(the service was not running)";

Deno.test("Scheduler runs intervals and cron expressions once each, on time", async () => {
  await using service = await ScheduledService.with([
    scheduled("often", { every: "20m" }),
    scheduled("half", { cron: "30 * * * *" }),
    scheduled("off", { every: "1m" }, { enabled: false }),
  ]);
  await service.advance(HOUR_MS);
  assert.deepEqual(service.runs, [
    "often 12:20:00 at 12:20:00",
    "half 12:30:00 at 12:30:00",
    "often 12:40:00 at 12:40:00",
    "often 13:00:00 at 13:00:00",
  ]);
  assert.deepEqual(await service.slots("often"), ["12:20:00 run", "12:40:00 run", "13:00:00 run"]);
  assert.deepEqual(service.log.lines, []);
});

Deno.test("Scheduler with catch_up starts one run for any number of missed due times", async () => {
  const agents = [
    scheduled("one", { cron: "5 * * * *", catchUp: "once" }),
    scheduled("many", { every: "10m", catchUp: "once" }),
  ];
  await using service = await ScheduledService.with(agents);
  await service.restart(agents, 10 * MINUTE_MS);
  await service.restart(agents, 95 * MINUTE_MS);
  const expected = ["12:05:00 run (caught up)", "13:05:00 run (caught up)"];
  assert.deepEqual(await service.slots("one"), expected);
  const wanted = ["12:10:00 run", `12:20:00 missed ${NOT_RUNNING} x8`, "13:40:00 run (caught up)"];
  assert.deepEqual(await service.slots("many"), wanted);
  assert.deepEqual(service.runs.slice(-2).sort(), [
    "many 13:40:00 at 13:45:00",
    "one 13:05:00 at 13:45:00",
  ]);
});

Deno.test("Scheduler records all due times missed during a long downtime in one row", async () => {
  const agents = [scheduled("minutely", { cron: "* * * * *" })];
  await using service = await ScheduledService.with(agents);
  await service.restart(agents, 400 * DAY_MS + 90_000);
  const expected = [`12:01:00 missed ${NOT_RUNNING} x${400 * 1_440}`, "12:01:00 run"];
  assert.deepEqual(await service.slots("minutely"), expected);
});

Deno.test("Scheduler restarts an interval only for an edit of its times", async () => {
  await using service = await ScheduledService.with([scheduled("hourly", { every: "60m" })]);
  await service.advance(50 * MINUTE_MS);
  await service.reconcile([scheduled("hourly", { every: "1h" }, { body: "Another body." })]);
  await service.restart([scheduled("hourly", { every: "1h", input: "Now!", catchUp: "once" })]);
  await service.advance(20 * MINUTE_MS);
  assert.deepEqual(service.runs, ["hourly 13:00:00 at 13:00:00"]);
  await service.reconcile([scheduled("hourly", { every: "2h" })]);
  assert.equal(timeOf(service.nextRun("hourly") ?? 0), "15:10:00");
});

Deno.test("Scheduler starts the edited version of an agent", async () => {
  await using service = await ScheduledService.with([scheduled("one", { every: "10m" })]);
  await service.advance(5 * MINUTE_MS);
  await service.restart([scheduled("one", { every: "10m" })], 20 * MINUTE_MS);
  await service.reconcile([scheduled("one", { every: "10m", catchUp: "once" })]);
  await service.restart([scheduled("one", { every: "10m", catchUp: "once" })], 18 * MINUTE_MS);
  assert.deepEqual((await service.slots("one")).at(-1), "12:40:00 run (caught up)");
});

Deno.test("Scheduler immediately ends schedules of agents that are deleted, disabled or without a schedule", async () => {
  await using service = new ScheduledService();
  const all = ["gone", "disabled", "manual", "stays"].map((id) => scheduled(id, { every: "10m" }));
  await service.open(all);
  await service.advance(5 * MINUTE_MS);
  await service.reconcile([
    scheduled("disabled", { every: "10m" }, { enabled: false }),
    scheduled("manual", {}, { trigger: { type: "manual" } }),
    scheduled("stays", { every: "10m" }),
  ]);
  assert.equal(service.nextRun("gone"), null);
  assert.equal(service.nextRun("disabled"), null);
  await service.advance(10 * MINUTE_MS);
  assert.deepEqual(service.runs, ["stays 12:10:00 at 12:10:00"]);
  // At 12:15 all schedules restart, except that of the agent whose file was missing for a short time.
  await service.reconcile(all);
  assert.deepEqual(["gone", "disabled", "manual"].map((id) => timeOf(service.nextRun(id) ?? 0)), [
    "12:20:00",
    "12:25:00",
    "12:25:00",
  ]);
  assert.equal(timeOf(service.nextRun("stays") ?? 0), "12:20:00");
});

Deno.test("Scheduler keeps an agent whose file is unreadable at the start", async () => {
  await using service = new ScheduledService();
  const daily = scheduled("daily", { every: "1d" });
  const other = scheduled("other", { every: "1d" });
  await service.open([daily, other]);
  await service.advance(DAY_MS + HOUR_MS);
  await service.close();
  await service.open([other], { unreadable: "daily" });
  await service.reconcile([daily, other]);
  assert.equal(service.nextRun("daily"), service.nextRun("other"));
  assert.equal(timeOf(service.nextRun("daily") ?? 0), "12:00:00");
  await service.restart([other]);
  await service.restart([daily, other]);
  assert.equal(service.nextRun("daily"), service.nextRun("other"));
  await service.restart([other]);
  await service.advance(HOUR_MS);
  await service.reconcile([daily, other]);
  assert.notEqual(service.nextRun("daily"), service.nextRun("other"));
});

Deno.test("Scheduler continues a schedule whose agent file was missing for less than an hour", async () => {
  const agents = [
    scheduled("often", { every: "10m" }),
    scheduled("half", { cron: "*/30 * * * *", catchUp: "once" }),
  ];
  for (const isRestarted of [false, true]) {
    await using service = await ScheduledService.with(agents);
    await service.advance(31 * MINUTE_MS);
    await service.reconcile([]);
    if (isRestarted) await service.restart([]);
    await service.advance(4 * MINUTE_MS);
    await service.reconcile(agents);
    await service.advance(0);
    assert.deepEqual(await service.slots("half"), ["12:30:00 run"]);
    await service.reconcile([]);
    await service.advance(30 * MINUTE_MS);
    await service.reconcile(agents);
    await service.advance(16 * MINUTE_MS);
    assert.deepEqual((await service.slots("often")).slice(2), [
      "12:30:00 run",
      "12:40:00 missed (its file was away) x3",
      "13:10:00 run",
      "13:20:00 run",
    ]);
    assert.deepEqual((await service.slots("half")).slice(1), ["13:00:00 run (caught up)"]);
  }
});

Deno.test("Scheduler skips due times while a run is open, and then continues", async () => {
  await using service = await ScheduledService.with([scheduled("slow", { every: "10m" })]);
  const outcomes = ["running", "running", "waiting", "claimed"] as const;
  service.refuse = (_agentId, scheduledFor) =>
    outcomes[(scheduledFor - Date.parse("2026-01-01T12:10:00Z")) / (10 * MINUTE_MS)];
  await service.advance(50 * MINUTE_MS);
  assert.deepEqual(await service.slots("slow"), [
    "12:10:00 skipped (running) x2",
    "12:30:00 skipped (waiting)",
    "12:40:00 skipped (claimed)",
    "12:50:00 run",
  ]);
});

Deno.test("Scheduler uses one timer for a thousand agents, and yields while it starts their runs", async () => {
  await using service = await ScheduledService.with(
    Array.from({ length: 1_000 }, (_, k) => scheduled(`a${k}`, { cron: "0 13 * * *" })),
  );
  assert.equal(service.clock.sleeping, 1);
  const turnsDuring = async (work: Promise<void>) => {
    let turns = 0;
    let isOver = false;
    const finished = work.finally(() => isOver = true);
    while (!isOver) {
      await setImmediate();
      turns++;
    }
    await finished;
    return turns;
  };
  await service.advance(HOUR_MS - 1);
  assert.ok(await turnsDuring(service.advance(1).then(() => service.clock.idle())) >= 50);
  assert.equal(service.runs.length, 1_000);
  assert.equal(new Set(service.runs).size, 1_000);
  // All of these due times are missed: none starts a run.
  service.clock.step(DAY_MS + HOUR_MS);
  assert.ok(await turnsDuring(service.advance(MINUTE_MS)) >= 5);
  assert.equal((await service.slots("a999")).length, 2);
  assert.equal(service.runs.length, 1_000);
});
