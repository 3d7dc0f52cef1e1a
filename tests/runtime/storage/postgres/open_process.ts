// Opens the database of the address that it is given, in an environment of its own, and says how that went.
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";

try {
  await using _database = await PostgresDatabase.open({ address: Deno.args[0] ?? "" });
  console.log("open");
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
