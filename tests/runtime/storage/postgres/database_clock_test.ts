import assert from "node:assert/strict";
import { DatabaseClock } from "../../../../runtime/storage/postgres/database_clock.ts";

Deno.test("DatabaseClock returns whole milliseconds, as the database stores them", async () => {
  const clock = new DatabaseClock();
  await clock.set(() => Promise.resolve(Date.now() + 120_000.5));
  assert.ok(Number.isInteger(clock.now()));
  assert.ok(clock.now() - Date.now() > 110_000);
});
