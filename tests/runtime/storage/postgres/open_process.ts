// A program that opens the database at an address with PGPASSWORD, then without it. Prints one line with each result.
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";

for (const password of [Deno.env.get("PGPASSWORD"), undefined]) {
  if (password === undefined) Deno.env.delete("PGPASSWORD");
  try {
    await using _database = await PostgresDatabase.open({ address: Deno.args[0] ?? "" });
    console.log("open");
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
  }
}
