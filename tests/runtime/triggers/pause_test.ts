import assert from "node:assert/strict";
import { EventBus, type ServiceEvent } from "../../../runtime/events/bus.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { SqlSettingsStore } from "../../../runtime/storage/settings.ts";
import { Pause } from "../../../runtime/triggers/pause.ts";
import { LogLines } from "../../support/log_lines.ts";

Deno.test("Pause publishes each real change once, also of many at once, and outlives its process", async () => {
  using db = SqliteDatabase.open(":memory:");
  const events = new EventBus(new LogLines());
  const seen: ServiceEvent[] = [];
  events.subscribe((event) => seen.push(event));
  const open = () => new Pause({ store: new SqlSettingsStore(db), events });
  const pause = open();
  assert.equal(await pause.state(), "running");
  for (const state of ["running", "paused", "paused", "running", "running"] as const) {
    await pause.change(state);
    assert.equal(await pause.state(), state);
  }
  await Promise.all(Array.from({ length: 10 }, () => pause.change("paused")));
  const next = open();
  assert.equal(await next.state(), "paused");
  await next.change("paused");
  const found = seen.map((event) => event.type === "scheduler_changed" && event.status);
  assert.deepEqual(found, ["paused", "running", "paused"]);
});
