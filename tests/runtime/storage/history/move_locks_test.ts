// Tests that a move out of PostgreSQL locks the history until the copy is in place, so that no change of a node is lost.
import assert from "node:assert/strict";
import { readHistoryTables } from "../../../../runtime/storage/history/history_tables.ts";
import { PostgresHistory } from "../../../../runtime/storage/history/postgres_history.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestPostgres, openClient, withPostgres } from "../../../support/postgres.ts";
import { until } from "../../../support/until.ts";
import { fillHistory, readAll } from "./filled_history.ts";
import { test } from "./move_world.ts";

/** Returns SQL that inserts a node that has stopped regularly. */
const nodeOf = (id: string) =>
  "INSERT INTO inkling.instances (id, pid, started_at, stopped_at, name) " +
  `VALUES ('${id}', 71, 1, 2, 'gpu-1')`;

withPostgres.test("PostgresHistory survives a silence after which the server ends other transactions", async () => {
  await using place = await createTestPostgres();
  const silentMs = 100;
  const { signal } = new AbortController();
  await using history = await PostgresHistory.connect(place.address, { signal, silentMs });
  using shape = SqliteDatabase.open(":memory:");
  const tables = readHistoryTables(shape, await history.readColumns());
  await history.beginReading(tables);

  // The server closes this other connection after a long silence.
  await using other = await openClient(place.address);
  const ended = new Promise<void>((resolve) => other.once("end", resolve));
  await other.query(`SET idle_in_transaction_session_timeout = ${silentMs}; BEGIN`);
  await ended;
  for (const table of tables) assert.deepEqual(await Array.fromAsync(history.read(table)), []);
  await history.requireConnected();
});

test("a write during a move waits for its end, is copied, or prevents the move", async (world) => {
  const { databaseFile } = world.directories;
  await fillHistory(databaseFile, "large");
  const before = readAll(databaseFile);
  await world.move("to");
  world.removeFile();
  let there: Promise<string[]> | undefined;
  const onProgress = () => void (there ??= world.query(nodeOf("late")).then(() => world.files()));
  await world.move("from", { onProgress });
  assert.deepEqual(await there, ["inkling.db"]);
  assert.deepEqual(readAll(databaseFile), before);

  world.removeFile();
  {
    await using writer = await openClient(world.address);
    await writer.query(`BEGIN; ${nodeOf("early")}`);
    const message = /Another Inkling is writing into postgres:.+ Stop it/;
    await assert.rejects(world.move("from"), { message });
    assert.deepEqual(world.files(), []);

    const moving = world.move("from");
    await until(async () => {
      const waiting = await world.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'inkling move-history' AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    }, "the copy waits for the writer");
    await writer.query("COMMIT");
    await moving;
  }
  using db = SqliteDatabase.open(databaseFile);
  assert.ok(db.get("SELECT 1 FROM instances WHERE id = 'early'"));
});
