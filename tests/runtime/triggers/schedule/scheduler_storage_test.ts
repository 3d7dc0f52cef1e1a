import assert from "node:assert/strict";
import { SqlSlotStore } from "../../../../runtime/triggers/schedule/slots.ts";
import { settle } from "../../../support/test_clock.ts";
import { scheduled, ScheduledService } from "./scheduled_service.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

Deno.test("Scheduler retries a failed start, starts other runs meanwhile, and starts no run twice", async () => {
  await using service = await ScheduledService.with([
    scheduled("broken", { every: "10m" }),
    scheduled("sound", { every: "10m" }),
  ]);
  const until = service.clock.real + 10 * MINUTE_MS + 25_000;
  service.refuse = (agentId) =>
    agentId === "broken" && service.clock.real < until ? new Error("no room") : undefined;
  await service.advance(11 * MINUTE_MS);
  assert.deepEqual(service.runs, ["sound 12:10:00 at 12:10:00", "broken 12:10:00 at 12:10:30"]);
  const errors = service.log.lines.filter(({ level }) => level === "error");
  assert.deepEqual([errors.length, errors[0]?.fields["runs"]], [3, 1]);
  assert.match(String(errors[0]?.fields["error"]), /no room/);
});

Deno.test("Scheduler records each due time once if runs could not be stored", async () => {
  await using service = await ScheduledService.with([scheduled("fast", { every: "20s" })]);
  const until = service.clock.real + 5 * MINUTE_MS;
  service.refuse = () => service.clock.real < until ? new Error("no room") : undefined;
  await service.advance(6 * MINUTE_MS);
  const slots = await service.slots("fast");
  assert.deepEqual(slots.slice(-3), ["12:05:20 run", "12:05:40 run", "12:06:00 run"]);
  assert.match(slots[0] ?? "", /^12:00:20 missed \(its run could not be stored\)/);
  const counted = slots.reduce((sum, slot) => sum + Number(/x(\d+)$/.exec(slot)?.[1] ?? 1), 0);
  assert.equal(counted, 18);
});

Deno.test("after a restart, Scheduler starts the runs that were refused during its stop", async () => {
  const agents = [scheduled("a", { every: "10m" }), scheduled("b", { every: "10m" })];
  await using service = await ScheduledService.with(agents);
  let asked = 0;
  service.refuse = () => {
    asked++;
    return "stopping";
  };
  const stopping = service.advance(10 * MINUTE_MS);
  // The stopped scheduler has no timer left.
  await Promise.race([stopping, settle()]);
  await settle();
  // Both runs were due together, and neither is tried again.
  assert.equal(asked, 2);
  await service.close();
  assert.deepEqual(await service.slots("a"), []);
  service.refuse = () => undefined;
  await service.restart(agents, 30_000);
  assert.deepEqual(service.runs.sort(), ["a 12:10:00 at 12:10:30", "b 12:10:00 at 12:10:30"]);
});

/** A slot store whose writes fail while `isFull` is true. */
class FillableStore extends SqlSlotStore {
  isFull = false;
  /** For each call of `purgeSlots()`: the day before which due times are removed, and the number kept for each agent. */
  readonly purges: string[] = [];

  override beginSchedule(...args: Parameters<SqlSlotStore["beginSchedule"]>) {
    return this.#change(() => super.beginSchedule(...args));
  }

  override endSchedules(...args: Parameters<SqlSlotStore["endSchedules"]>) {
    return this.#change(() => super.endSchedules(...args));
  }

  override recordSlots(...args: Parameters<SqlSlotStore["recordSlots"]>) {
    return this.#change(() => super.recordSlots(...args));
  }

  override purgeSlots({ before, keep }: { before: number; keep: number }) {
    this.purges.push(`${new Date(before).toISOString().slice(0, 10)} ${keep}`);
    return super.purgeSlots({ before, keep });
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    return this.isFull ? Promise.reject(new Error("no room")) : change();
  }
}

Deno.test("Scheduler removes slots older than ninety days at its start and once a day", async () => {
  await using service = new ScheduledService("2027-04-01T12:00:00.000Z");
  const store = new FillableStore(service.db);
  await service.open([], { store });
  await service.advance(DAY_MS - MINUTE_MS);
  assert.deepEqual(store.purges, ["2027-01-01 100"]);
  await service.advance(2 * MINUTE_MS);
  service.clock.step(-365 * DAY_MS);
  await service.advance(MINUTE_MS);
  assert.deepEqual(store.purges.slice(1), ["2027-01-02 100", "2026-01-02 100"]);
  await service.advance(DAY_MS);
  assert.deepEqual(store.purges.slice(3), ["2026-01-03 100"]);
});

Deno.test("Scheduler retries the update of schedules until the store works", async () => {
  await using service = new ScheduledService();
  const store = new FillableStore(service.db);
  store.isFull = true;
  await service.open([scheduled("late", { every: "10m" })], { store });
  assert.equal(service.nextRun("late"), null);
  await service.advance(MINUTE_MS);
  store.isFull = false;
  await service.advance(12 * MINUTE_MS);
  assert.equal(service.runs.length, 1);
  assert.ok(service.log.lines.some(({ message }) => message.includes("could not be stored")));
  // A removed agent does not fire, although the full disk cannot store its removal.
  store.isFull = true;
  await service.reconcile([scheduled("late", { every: "10m" }, { enabled: false })]);
  await service.advance(HOUR_MS);
  assert.equal(service.runs.length, 1);
  store.isFull = false;
  await service.advance(MINUTE_MS);
  assert.deepEqual(await store.readSchedules(), []);
});

Deno.test("Scheduler stores the outcome of missed slots once the store works", async () => {
  await using service = new ScheduledService();
  const store = new FillableStore(service.db);
  await service.open([scheduled("half", { every: "30m" })], { store });
  await service.advance(MINUTE_MS);
  service.clock.step(2 * HOUR_MS);
  store.isFull = true;
  await service.advance(5 * MINUTE_MS);
  assert.deepEqual(await service.slots("half"), []);
  store.isFull = false;
  await service.advance(30 * MINUTE_MS);
  const expected = ["12:30:00 missed (its run could not be stored) x4", "14:30:00 run"];
  assert.deepEqual(await service.slots("half"), expected);
});

Deno.test("Scheduler neither runs nor changes the schedule of an agent for another node", async () => {
  await using service = new ScheduledService();
  const store = new FillableStore(service.db);
  const agents = [scheduled("often", { every: "10m" })];
  await service.open(agents, { store });
  const before = await store.readSchedules();
  let elsewhere = true;
  const options = { isUnreadable: () => false, isElsewhere: () => elsewhere };
  await service.scheduler.reconcile(agents, options);
  await service.advance(25 * MINUTE_MS);
  assert.equal(service.nextRun("often"), null);
  assert.deepEqual([await store.readSchedules(), service.runs], [before, []]);
  elsewhere = false;
  await service.scheduler.reconcile(agents, options);
  await service.advance(5 * MINUTE_MS);
  assert.deepEqual(service.runs, ["often 12:30:00 at 12:30:00"]);
});

Deno.test("Scheduler moves a schedule back after the clock was set back, once the store works", async () => {
  await using service = new ScheduledService();
  const store = new FillableStore(service.db);
  await service.open([scheduled("often", { every: "10m" })], { store });
  await service.advance(11 * MINUTE_MS);
  store.isFull = true;
  service.clock.step(-5 * HOUR_MS);
  await service.advance(2 * MINUTE_MS);
  store.isFull = false;
  await service.advance(11 * MINUTE_MS);
  assert.equal(service.runs.length, 2);
});

Deno.test("Scheduler continues after the last due time that another machine recorded, and skips none", async () => {
  await using service = await ScheduledService.with([scheduled("half", { every: "30m" })]);
  await service.advance(MINUTE_MS);
  // Both machines slept. The other machine woke first, and crashed.
  const first = service.clock.now() + 29 * MINUTE_MS;
  const other = {
    agentId: "half",
    outcome: "missed",
    reason: "elsewhere",
    executionId: null,
  } as const;
  await new SqlSlotStore(service.db).recordSlots([
    { ...other, scheduledFor: first, count: 2, lastSlot: first + 30 * MINUTE_MS },
  ]);
  service.clock.step(2 * HOUR_MS);
  await service.advance(5 * MINUTE_MS);
  assert.deepEqual(await service.slots("half"), [
    "12:30:00 missed (elsewhere) x2",
    "13:30:00 missed (the machine slept or the clock was set forward) x2",
  ]);
});

Deno.test("Scheduler continues after a failure to read the pause state", async () => {
  await using service = await ScheduledService.with([scheduled("often", { every: "10m" })]);
  const until = service.clock.real + 10 * MINUTE_MS + 25_000;
  service.mayBePaused = () => {
    if (service.clock.real < until) throw new Error("unreadable");
    return false;
  };
  await service.advance(11 * MINUTE_MS);
  assert.deepEqual(service.runs, ["often 12:10:00 at 12:10:30"]);
  assert.equal(service.log.lines.filter(({ level }) => level === "error").length, 3);
});
