import assert from "node:assert/strict";
import { scheduled, ScheduledService, timeOf } from "./scheduled_service.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOT_RUNNING = "(the service was not running)";
const ASLEEP = "(the machine slept or the clock was set forward)";

const CASES = [[60_000, "13:00:00 run"], [60_001, `13:00:00 missed ${NOT_RUNNING}`]] as const;
for (const [lateMs, outcome] of CASES) {
  Deno.test(`Scheduler has a minute of grace: ${lateMs} ms late is "${outcome}"`, async () => {
    await using service = new ScheduledService();
    const agents = [scheduled("hourly", { every: "1h" })];
    await service.open(agents);
    await service.restart(agents, HOUR_MS + lateMs);
    assert.deepEqual(await service.slots("hourly"), [outcome]);
  });
}

Deno.test("Scheduler notices within a minute that the machine slept", async () => {
  await using service = await ScheduledService.with([
    scheduled("half", { every: "30m" }),
    scheduled("long", { every: "3h" }),
  ]);
  await service.advance(MINUTE_MS + 1_000);
  service.clock.step(2 * HOUR_MS);
  await service.advance(MINUTE_MS);
  assert.deepEqual(await service.slots("half"), [`12:30:00 missed ${ASLEEP} x4`]);
  await service.advance(HOUR_MS);
  assert.deepEqual((await service.slots("half")).slice(1), ["14:30:00 run", "15:00:00 run"]);
  assert.deepEqual(await service.slots("long"), ["15:00:00 run"]);
});

for (const how of ["while it runs", "before it starts"] as const) {
  Deno.test(`Scheduler continues after the clock is set back by three hours ${how}`, async () => {
    const agents = [
      scheduled("often", { every: "20m" }),
      scheduled("half", { cron: "*/30 * * * *" }),
      scheduled("daily", { cron: "0 15 * * *" }),
    ];
    await using service = await ScheduledService.with(agents);
    await service.advance(31 * MINUTE_MS);
    service.clock.step(3 * HOUR_MS);
    await service.advance(MINUTE_MS);
    await service.advance(29 * MINUTE_MS);
    service.runs.length = 0;
    if (how === "before it starts") await service.close();
    service.clock.step(-3 * HOUR_MS);
    if (how === "before it starts") await service.open(agents);
    else await service.advance(0);
    await service.pause(false);
    const [warning, ...more] = service.log.lines.filter(({ message }) => /set back/.test(message));
    assert.deepEqual(more, []);
    const nextRun = "2026-01-01T15:00:00.000Z";
    assert.deepEqual(warning?.fields, { agents: 3, ranUntil: "2026-01-01T16:00:00.000Z", nextRun });
    assert.equal(timeOf(service.scheduler.ranUntil("half") ?? 0), "16:00:00");
    await service.advance(3 * HOUR_MS + 31 * MINUTE_MS);
    const times = (id: string) =>
      service.runs.flatMap((run) => run.startsWith(id) ? run.split(" at ")[1] : []);
    const beats = how === "while it runs" ? ["13:20:00", "13:40:00"] : ["13:21:00", "13:41:00"];
    assert.deepEqual(times("often").slice(0, 2), beats);
    // The agent already ran at 16:00, while the clock was ahead.
    assert.deepEqual(times("half").map((time) => time!.slice(0, 5)), [
      "13:30",
      "14:00",
      "14:30",
      "15:00",
      "15:30",
      "16:30",
    ]);
    assert.deepEqual(times("daily"), ["15:00:00"]);
    assert.equal(service.scheduler.ranUntil("half"), null);
  });
}

Deno.test("Scheduler does not run twice for the same time after the clock is set back", async () => {
  await using service = await ScheduledService.with([
    scheduled("half", { cron: "*/30 * * * *" }),
    scheduled("often", { every: "30m" }),
  ]);
  await service.advance(65 * MINUTE_MS);
  service.clock.step(-2 * HOUR_MS);
  await service.advance(115 * MINUTE_MS);
  assert.deepEqual(await service.slots("half"), [
    "11:30:00 run",
    "12:00:00 run",
    "12:30:00 run",
    "13:00:00 run",
  ]);
  const often = service.runs.flatMap((run) => /^often .* at (.*)$/.exec(run)?.[1] ?? []);
  assert.deepEqual(often, ["12:30:00", "13:00:00", "11:30:00", "12:00:00", "12:30:00", "13:00:00"]);
  assert.equal(service.runs.filter((run) => run.startsWith("half")).length, 4);
});

Deno.test("Scheduler restarts an interval if a clock correction puts its start in the future", async () => {
  await using service = await ScheduledService.with([scheduled("fresh", { every: "10m" })]);
  service.clock.step(-2 * HOUR_MS);
  await service.advance(12 * MINUTE_MS);
  assert.deepEqual(service.runs, ["fresh 10:10:00 at 10:10:00"]);
});

Deno.test("Scheduler.nextRuns() omits past times and slots that have run", async () => {
  await using service = await ScheduledService.with([scheduled("half", { every: "30m" })]);
  await service.advance(35 * MINUTE_MS);
  const next = () => timeOf(service.nextRun("half") ?? 0);
  assert.equal(next(), "13:00:00");
  service.clock.step(2 * HOUR_MS);
  assert.equal(next(), "15:00:00");
  assert.equal(service.nextRun("nobody"), null);
});

Deno.test("Scheduler waits for a due time beyond the maximum length of a timer", async () => {
  await using service = await ScheduledService.with([scheduled("seldom", { every: "25d" })]);
  await service.advance(26 * DAY_MS);
  assert.deepEqual(service.runs, ["seldom 12:00:00 at 12:00:00"]);
  // The scheduler wakes exactly once a minute.
  assert.equal(service.clock.wakes, 26 * 1_440);
});
