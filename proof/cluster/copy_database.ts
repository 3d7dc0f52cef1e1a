// Copies the PostgreSQL database to SQLite, because the invariants are written for SQLite.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import type { ClusterWorld } from "./cluster_world.ts";

/**
 * The owner of an execution. An execution that ended while it waited for a node has no owner; the newest instance takes its
 * place in the copy.
 */
const OWNER = "coalesce(instance_id, (SELECT id FROM instances ORDER BY rowid DESC LIMIT 1))";

function toSelected(column: string): string {
  return `${column === "instance_id" ? OWNER : column}::text AS ${column}`;
}

/** Copies every table, from one snapshot, to a new file at `world.database`. */
export async function copyDatabase(world: ClusterWorld): Promise<void> {
  SqliteDatabase.open(world.database)[Symbol.dispose]();
  const copy = new DatabaseSync(world.database, { enableForeignKeyConstraints: false });
  try {
    const tables = copy.prepare(
      // The tables of the search index are not copied, because SQLite fills them from the executions.
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' " +
        "AND name NOT LIKE 'executions_text%' AND name <> 'search_index'",
    ).all() as { name: string }[];
    const found = tables.map(({ name }) => ({
      name,
      columns: copy.prepare(`SELECT name FROM pragma_table_info('${name}')`).all()
        .map((column) => column["name"] as string),
    }));
    // Read all tables in one statement, because a paused schedule also inserts rows between two statements. The values
    // arrive as text, which SQLite converts to numbers in columns of numbers.
    const lists = found.map(({ name, columns }) =>
      `(SELECT json_agg(t) FROM (SELECT ${
        columns.map(toSelected).join(", ")
      } FROM ${name}) t)::text AS ${name}`
    );
    const [contents = {}] = await world.query<Record<string, string | null>>(
      `SELECT ${lists.join(", ")}`,
    );
    for (const { name, columns } of found) {
      const rows: Record<string, SQLInputValue>[] = JSON.parse(contents[name] ?? "[]");
      const insert = copy.prepare(
        `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      );
      copy.exec("BEGIN");
      for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
      copy.exec("COMMIT");
    }
  } finally {
    copy.close();
  }
}
