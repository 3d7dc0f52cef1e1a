import assert from "node:assert/strict";
import { EventBus, type ServiceEvent } from "../../../runtime/events/bus.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { SqlSettingsStore } from "../../../runtime/storage/settings.ts";
import { Pause } from "../../../runtime/triggers/pause.ts";
import { LogLines } from "../../support/log_lines.ts";

function open(db: SqliteDatabase): { pause: Pause; seen: ServiceEvent[] } {
  const events = new EventBus(new LogLines());
  const seen: ServiceEvent[] = [];
  events.subscribe((event) => seen.push(event));
  return { pause: new Pause({ store: new SqlSettingsStore(db), events }), seen };
}

Deno.test("Pause begins running and tells each real change once", async () => {
  using db = SqliteDatabase.open(":memory:");
  const { pause, seen } = open(db);
  assert.equal(await pause.state(), "running");
  for (const state of ["running", "paused", "paused", "running", "running"] as const) {
    await pause.change(state);
    assert.equal(await pause.state(), state);
  }
  assert.deepEqual(seen, [
    { type: "scheduler_changed", status: "paused" },
    { type: "scheduler_changed", status: "running" },
  ]);
});

Deno.test("Pause tells one change of many that are asked for at once", async () => {
  using db = SqliteDatabase.open(":memory:");
  const { pause, seen } = open(db);
  await Promise.all(Array.from({ length: 10 }, () => pause.change("paused")));
  assert.equal(seen.length, 1);
});

Deno.test("Pause outlives the process that made it", async () => {
  using db = SqliteDatabase.open(":memory:");
  await open(db).pause.change("paused");
  const { pause, seen } = open(db);
  assert.equal(await pause.state(), "paused");
  await pause.change("paused");
  assert.deepEqual(seen, []);
});
