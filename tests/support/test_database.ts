// The database of tests: in-memory SQLite, or a new PostgreSQL database if INKLING_TEST_DATABASE is `postgres`.
import type { Database } from "../../runtime/database/database.ts";
import type { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestPostgres } from "./postgres.ts";

/** True if the tests of the storage and of runs use PostgreSQL. */
export const IS_POSTGRES = Deno.env.get("INKLING_TEST_DATABASE") === "postgres";

/** Registers tests of features that need a shared database. They run on PostgreSQL, even if the other tests use SQLite. */
export const onPostgres = {
  test: (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore: !IS_POSTGRES, fn }),
};

/** Options of tests that need SQLite: they are ignored on PostgreSQL. */
export const SQLITE = { ignore: IS_POSTGRES };

/** Registers tests that are ignored on PostgreSQL. */
export const onSqlite = {
  test: (name: string, fn: () => Promise<void>) => Deno.test({ name, ...SQLITE, fn }),
};

/** Limits so long that a busy machine breaks off no connection. */
export const PATIENT_LIMITS = { connectMs: 120_000, checkAfterMs: 120_000, silentMs: 120_000 };

/** Opens an empty database with all tables. */
export async function openTestDatabase(): Promise<Database & (AsyncDisposable | Disposable)> {
  return IS_POSTGRES ? await openTestPostgres() : SqliteDatabase.open(":memory:");
}

/** Opens an empty PostgreSQL database on the given server or on the shared one. Disposing removes the database. */
export async function openTestPostgres(server?: string): Promise<PostgresDatabase> {
  const { PostgresDatabase } = await import("../../runtime/storage/postgres/postgres_database.ts");
  const made = await createTestPostgres(server);
  const database = await PostgresDatabase.open({
    address: made.address,
    connections: 4,
    limits: PATIENT_LIMITS,
  });
  const close = database[Symbol.asyncDispose].bind(database);
  database[Symbol.asyncDispose] = async () => {
    await close();
    await made[Symbol.asyncDispose]();
  };
  return database;
}
