// A program that opens the database at the given address and prints the result.
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";

try {
  await using _database = await PostgresDatabase.open({ address: Deno.args[0] ?? "" });
  console.log("open");
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
