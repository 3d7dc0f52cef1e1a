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

Deno.test("Scheduler notices within a minute that the machine slept or the clock was set forward", async () => {
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

Deno.test("Scheduler runs nothing twice when the clock is set back", async () => {
  await using service = await ScheduledService.with([scheduled("half", { cron: "*/30 * * * *" })]);
  await service.advance(65 * MINUTE_MS);
  service.clock.step(-2 * HOUR_MS);
  await service.advance(2 * HOUR_MS);
  assert.deepEqual(await service.slots("half"), ["12:30:00 run", "13:00:00 run"]);
  await service.advance(30 * MINUTE_MS);
  assert.deepEqual((await service.slots("half")).slice(2), ["13:30:00 run"]);
});

Deno.test("Scheduler does not wait for a beginning that a wrong clock made", async () => {
  await using service = await ScheduledService.with([scheduled("fresh", { every: "10m" })]);
  service.clock.step(-2 * HOUR_MS);
  await service.advance(12 * MINUTE_MS);
  assert.deepEqual(service.runs, ["fresh 10:11:00 at 10:11:00"]);
});

for (const how of ["while it runs", "before it starts"] as const) {
  Deno.test(`Scheduler begins anew what ran days ahead, when the clock is put right ${how}`, async () => {
    await using service = new ScheduledService("2027-01-01T12:00:00.000Z");
    const agents = [scheduled("daily", { cron: "0 8 * * *" }), scheduled("often", { every: "1h" })];
    await service.open(agents);
    await service.advance(DAY_MS);
    if (how === "before it starts") await service.close();
    service.clock.step(-300 * DAY_MS);
    if (how === "before it starts") await service.open(agents);
    else await service.advance(MINUTE_MS);
    const warnings = service.log.lines.filter(({ level }) => level === "warn");
    assert.deepEqual(warnings.map(({ fields }) => fields), [
      { agentId: "daily", ranUntil: "2027-01-02T08:00:00.000Z" },
      { agentId: "often", ranUntil: "2027-01-02T12:00:00.000Z" },
    ]);
    assert.deepEqual(await service.slots("daily"), []);
    const before = service.runs.length;
    await service.advance(DAY_MS);
    assert.equal(service.runs.length - before, 25);
  });
}

Deno.test("Scheduler.nextRuns() is never in the past, nor a slot that was served", async () => {
  await using service = await ScheduledService.with([scheduled("half", { every: "30m" })]);
  await service.advance(35 * MINUTE_MS);
  const next = () => timeOf(service.nextRun("half") ?? 0);
  assert.equal(next(), "13:00:00");
  service.clock.step(2 * HOUR_MS);
  assert.equal(next(), "15:00:00");
  service.clock.step(-4 * HOUR_MS);
  assert.equal(next(), "13:00:00");
  assert.equal(service.nextRun("nobody"), null);
});

Deno.test("Scheduler waits longer than any timer can", async () => {
  await using service = await ScheduledService.with([scheduled("seldom", { every: "25d" })]);
  await service.advance(26 * DAY_MS);
  assert.deepEqual(service.runs, ["seldom 12:00:00 at 12:00:00"]);
  // Not once a minute more than needed, and never less often.
  assert.equal(service.clock.wakes, 26 * 1_440);
});
