// The database of a test: SQLite in memory, or with INKLING_TEST_DATABASE=postgres a new one in PostgreSQL.
import { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import type { Database } from "../../runtime/storage/database.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { sharedPostgres } from "./postgres.ts";
// @ts-types="@types/pg"
import pg from "pg";

/** Whether tests of stores use PostgreSQL. */
export const IS_POSTGRES = Deno.env.get("INKLING_TEST_DATABASE") === "postgres";

/** For tests of what only SQLite has. */
export const SQLITE = { ignore: IS_POSTGRES };

/** An empty database. */
export async function openTestDatabase(): Promise<Database & (AsyncDisposable | Disposable)> {
  return IS_POSTGRES ? await openTestPostgres() : SqliteDatabase.open(":memory:");
}

/** An empty database in PostgreSQL, which is removed with it: on the server that tests share, or on this one. */
export async function openTestPostgres(given?: string): Promise<PostgresDatabase> {
  const place = await createTestPostgres(given);
  const database = await PostgresDatabase.open({ address: place.address, connections: 4 });
  const close = database[Symbol.asyncDispose].bind(database);
  database[Symbol.asyncDispose] = async () => {
    await close();
    await place[Symbol.asyncDispose]();
  };
  return database;
}

/** The address of a new database in PostgreSQL, which is removed with it; nothing is in it. */
export async function createTestPostgres(
  given?: string,
): Promise<{ address: string } & AsyncDisposable> {
  const server = given ?? await sharedPostgres();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(server, `CREATE DATABASE ${name}`);
  return {
    address: `${server}/${name}`,
    [Symbol.asyncDispose]: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
