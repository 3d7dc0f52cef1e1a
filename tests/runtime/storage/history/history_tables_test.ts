// Tests that a copy of a history includes every table and every column.
import assert from "node:assert/strict";
import { EXCLUDED, readHistoryTables } from "../../../../runtime/storage/history/history_tables.ts";
import { PostgresHistory } from "../../../../runtime/storage/history/postgres_history.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestPostgres, withPostgres } from "../../../support/postgres.ts";

withPostgres.test("every table and column of both databases is copied or excluded with a reason", async () => {
  await using place = await createTestPostgres();
  const { signal } = new AbortController();
  await using history = await PostgresHistory.connect(place.address, { signal });
  using shape = SqliteDatabase.open(":memory:");
  const there = await history.readColumns();
  const tables = readHistoryTables(shape, there);

  // SQLite's internal tables and the full-text index do not belong to the history.
  const own = /^(sqlite_|executions_text|search_index)/;
  const inSqlite = shape.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  )
    .map(({ name }) => name).filter((name) => !own.test(name));
  const copied = tables.map(({ name }) => name);
  assert.deepEqual(copied.toSorted(), inSqlite.toSorted());
  const copiedColumns = new Set(
    tables.flatMap(({ name, columns }) => columns.map((one) => `${name}.${one.name}`)),
  );
  const forgotten = there.filter(({ table }) => !(table in EXCLUDED))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !copiedColumns.has(name) && !(name in EXCLUDED));
  assert.deepEqual(forgotten, []);
  // Every excluded table or column must exist, and must not be copied.
  for (const name of Object.keys(EXCLUDED)) {
    assert.ok(
      there.some(({ table, column }) => name === table || name === `${table}.${column}`),
      name,
    );
    assert.ok(!copied.includes(name) && !copiedColumns.has(name), name);
  }
  // A column that exists in only one database is reported as a bug.
  const more = { table: "executions", column: "mood", isCounter: false };
  const refusal = /what becomes of executions\.mood/;
  assert.throws(() => readHistoryTables(shape, [...there, more]), refusal);
  const other = { table: "moods", column: "id", isCounter: false };
  assert.throws(() => readHistoryTables(shape, [...there, other]), /what becomes of moods\.id/);
  shape.run("ALTER TABLE frames ADD COLUMN mood TEXT");
  assert.throws(() => readHistoryTables(shape, there), /PostgreSQL has no column frames\.mood/);
});
