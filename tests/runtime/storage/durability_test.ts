// Tests that every writing method of the stores makes its change as durable as durable_changes.ts requires.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Durability } from "../../../runtime/database/database.ts";
import type { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { REPOSITORY, sourceFiles } from "../../support/repository.ts";
import { openTestStore } from "../../support/test_store.ts";
import { POWER, PROCESS } from "./durable_changes.ts";
import { onSqlite } from "../../support/test_database.ts";

/** Matches the names of reading methods. Every other method of a store has a row in durable_changes.ts. */
const READS = /^((read|list|sum|count|newest|on)([A-Z]|$)|find[A-Z])/;

const CHANGES = [
  ...Object.entries(POWER).map(([what, prepare]) =>
    ({ what, prepare, durability: "power" }) as const
  ),
  ...Object.entries(PROCESS).map(([what, prepare]) =>
    ({ what, prepare, durability: "process" }) as const
  ),
];

for (const { what, prepare, durability } of CHANGES) {
  const claim = durability === "power" ? "survives a power cut" : "survives a crash of the process";
  onSqlite.test(`${what}: ${claim}`, async () => {
    await using store = await openTestStore();
    const act = await prepare(store);
    // Sets another durability, because the preparation may have set the expected one.
    store.sqlite().transaction(durability === "power" ? "process" : "power", () => {});
    const written = observeWrites(store.sqlite());
    await act();
    const writes = written();
    assert.ok(writes.length > 0, "the call wrote nothing, so the row is useless");
    assert.deepEqual(new Set(writes.map((one) => one.durability)), new Set([durability]));
    const moved = writes.filter(({ what }) => what === "status" || what === "INSERT executions");
    // A change of an execution's status must always survive a power cut.
    for (const one of moved) assert.equal(one.durability, "power");
  });
}

Deno.test("every writing method of a store has a row in durable_changes.ts", async () => {
  const rows = new Set(CHANGES.map(({ what }) => what.split(" ")[0]));
  const found = new Set<string>();
  const files = sourceFiles().map((file) => join(REPOSITORY, file)).filter((file) =>
    /^export class Sql(?!ite)/m.test(Deno.readTextFileSync(file))
  );
  for (const file of files) {
    const module: Record<string, unknown> = await import(pathToFileURL(file).href);
    for (const [exported, value] of Object.entries(module)) {
      if (typeof value !== "function") continue;
      if (!exported.startsWith("Sql")) continue;
      for (const method of Object.getOwnPropertyNames(value.prototype)) {
        if (method === "constructor" || READS.test(method)) continue;
        found.add(`${exported}.${method}`);
      }
    }
  }
  assert.deepEqual([...found].sort(), [...rows].sort());
});

/**
 * Records the durability setting of SQLite at each row that is written from now on. Returns a function that returns the
 * records.
 */
function observeWrites(db: SqliteDatabase): () => { what: string; durability: Durability }[] {
  db.run("CREATE TEMP TABLE writes (what TEXT, level INTEGER)");
  const note = (name: string, on: string, what: string) =>
    db.run(
      `CREATE TEMP TRIGGER "${name}" AFTER ${on} BEGIN ` +
        `INSERT INTO writes SELECT '${what}', synchronous FROM pragma_synchronous('main'); END`,
    );
  const tables = db.all<{ name: string }>(
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' " +
      // The rows of the full-text index are omitted: they are written together with their execution.
      "AND name NOT LIKE 'executions_text%'",
  );
  for (const { name } of tables) {
    for (const verb of ["INSERT", "UPDATE", "DELETE"]) {
      note(`${verb} ${name}`, `${verb} ON main.${name}`, `${verb} ${name}`);
    }
  }
  note("status", "UPDATE OF status ON main.executions WHEN OLD.status <> NEW.status", "status");
  return () =>
    db.all<{ what: string; level: number }>("SELECT what, level FROM writes")
      // SQLite's values of the setting `synchronous`: 2 is FULL, 1 is NORMAL.
      .map(({ what, level }) => ({ what, durability: level === 2 ? "power" : "process" }));
}
