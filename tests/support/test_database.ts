// The database of a test: SQLite in memory, or with INKLING_TEST_DATABASE=postgres a new one in PostgreSQL.
import type { Database } from "../../runtime/database/database.ts";
import type { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestPostgres } from "./postgres.ts";

/** True if tests of the storage and of runs use PostgreSQL. */
export const IS_POSTGRES = Deno.env.get("INKLING_TEST_DATABASE") === "postgres";

/** Tests of what only machines that share a database have: they run where the others use PostgreSQL, too. */
export const onPostgres = {
  test: (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore: !IS_POSTGRES, fn }),
};

/** For tests of what only SQLite has. */
export const SQLITE = { ignore: IS_POSTGRES };

/** Registers tests that run on SQLite only. */
export const onSqlite = {
  test: (name: string, fn: () => Promise<void>) => Deno.test({ name, ...SQLITE, fn }),
};

/** An empty database. */
export async function openTestDatabase(): Promise<Database & (AsyncDisposable | Disposable)> {
  return IS_POSTGRES ? await openTestPostgres() : SqliteDatabase.open(":memory:");
}

/** One in PostgreSQL, which is removed with it: on the server that tests share, or on this one. */
export async function openTestPostgres(server?: string): Promise<PostgresDatabase> {
  const { PostgresDatabase } = await import("../../runtime/storage/postgres/postgres_database.ts");
  const made = await createTestPostgres(server);
  const database = await PostgresDatabase.open({ address: made.address, connections: 4 });
  const close = database[Symbol.asyncDispose].bind(database);
  database[Symbol.asyncDispose] = async () => {
    await close();
    await made[Symbol.asyncDispose]();
  };
  return database;
}
