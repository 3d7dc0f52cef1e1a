// When old slots are removed.
import assert from "node:assert/strict";
import { SqlSlotStore } from "../../../../runtime/storage/slots.ts";
import { ScheduledService } from "./scheduled_service.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** Notes from which day on each removal keeps everything. */
class NotedPurges extends SqlSlotStore {
  readonly keptFrom: string[] = [];

  override purgeSlots(options: { before: number; keep: number }): Promise<number> {
    this.keptFrom.push(new Date(options.before).toISOString().slice(0, 10));
    return super.purgeSlots(options);
  }
}

Deno.test("Scheduler removes old slots at its start and once a day", async () => {
  await using service = new ScheduledService("2026-04-01T12:00:00.000Z");
  const store = new NotedPurges(service.db);
  await service.open([], { store });
  assert.deepEqual(store.keptFrom, ["2026-01-01"]);
  await service.advance(DAY_MS - MINUTE_MS);
  assert.deepEqual(store.keptFrom, ["2026-01-01"]);
  await service.advance(2 * MINUTE_MS + DAY_MS);
  assert.deepEqual(store.keptFrom, ["2026-01-01", "2026-01-02", "2026-01-03"]);
});

Deno.test("Scheduler keeps removing old slots when a wrong clock is set back", async () => {
  await using service = new ScheduledService("2027-04-01T12:00:00.000Z");
  const store = new NotedPurges(service.db);
  await service.open([], { store });
  service.clock.step(-365 * DAY_MS);
  await service.advance(MINUTE_MS);
  assert.deepEqual(store.keptFrom, ["2027-01-01", "2026-01-01"]);
  await service.advance(DAY_MS);
  assert.deepEqual(store.keptFrom, ["2027-01-01", "2026-01-01", "2026-01-02"]);
});
