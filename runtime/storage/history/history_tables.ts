// Reads from the schemas of both databases which tables a history has, and the order in which they are copied. So tables
// and columns of later versions are included automatically.
import type { SqliteDatabase } from "../sqlite/sqlite_database.ts";

/** Tables and columns of PostgreSQL that are not copied, with the reasons. */
export const EXCLUDED: Readonly<Record<string, string>> = {
  schema_steps: "the version of the schema; SQLite has it in the header of the file",
  change_marks: "marks of changes, only valid while their process runs",
  leases: "leases of nodes, valid for seconds",
  executions_text: "search texts, which triggers create from executions",
  "executions.epoch": "the number of claims by nodes; counting restarts",
  "executions.job": "the job of a running execution; the next start creates new ones",
  "executions.cancelled": "a request to the node of a running execution; no node runs any",
  "instances.name": "a description of a node, only valid while it is alive",
  "instances.version": "a description of a node, only valid while it is alive",
  "instances.labels": "a description of a node, only valid while it is alive",
  "instances.last_seen": "the last heartbeat of a node; no node is alive",
};

/** A column and its type in SQLite. */
export interface HistoryColumn {
  name: string;
  type: "INTEGER" | "REAL" | "TEXT";
}

/** One table of a history. */
export interface HistoryTable {
  name: string;
  columns: readonly HistoryColumn[];
  /** The columns of the primary key. Rows are read in this order. */
  key: readonly HistoryColumn[];
  /** The column whose numbers the database assigns; undefined if there is none. */
  counter: string | undefined;
}

/** A column of a PostgreSQL table. */
export interface PostgresColumn {
  table: string;
  column: string;
  /** True if the database assigns ascending numbers to this column. */
  isCounter: boolean;
}

/** A column as described by SQLite. */
interface TableInfo {
  name: string;
  type: string;
  pk: number;
}

/**
 * Returns the tables in an order in which each follows the tables that it references. Throws a TypeError if the two schemas
 * do not match, which is a bug.
 */
export function readHistoryTables(
  shape: SqliteDatabase,
  postgres: readonly PostgresColumn[],
): HistoryTable[] {
  const tables = shape.all<{ name: string }>(ORDINARY_TABLES).map(({ name }) =>
    readTable(shape, name, postgres.filter(({ table }) => table === name))
  );
  const stranger = postgres.find(({ table, column }) =>
    !(table in EXCLUDED) && !(`${table}.${column}` in EXCLUDED) &&
    !tables.some(({ name, columns }) =>
      name === table && columns.some((one) => one.name === column)
    )
  );
  if (stranger !== undefined) {
    throw new TypeError(`Nothing says what becomes of ${stranger.table}.${stranger.column}`);
  }
  return orderByReferences(
    tables,
    (name) =>
      shape.all<{ table: string }>(`PRAGMA foreign_key_list("${name}")`).map(({ table }) => table),
  );
}

/** SQL: the tables of SQLite, without internal tables and the full-text index, which the first search fills. */
export const ORDINARY_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' " +
  "AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'search_index' ORDER BY name";

function readTable(
  shape: SqliteDatabase,
  name: string,
  there: readonly PostgresColumn[],
): HistoryTable {
  const infos = shape.all<TableInfo>(`PRAGMA table_info("${name}")`);
  const columns = infos.map(toColumn);
  // The rowid is copied if the PostgreSQL table has a column of this name. Such a column defines the order of the table's
  // rows.
  if (there.some(({ column }) => column === "rowid")) {
    columns.unshift({ name: "rowid", type: "INTEGER" });
  }
  for (const column of columns) {
    if (there.some((one) => one.column === column.name)) continue;
    throw new TypeError(`PostgreSQL has no column ${name}.${column.name}`);
  }
  const key = infos.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk).map(toColumn);
  if (key.length === 0) throw new TypeError(`${name} has no primary key`);
  return { name, columns, key, counter: there.find(({ isCounter }) => isCounter)?.column };
}

function toColumn({ name, type }: TableInfo): HistoryColumn {
  if (type === "INTEGER" || type === "REAL" || type === "TEXT") return { name, type };
  throw new TypeError(`Nothing says how ${name} of type ${type} is copied`);
}

function orderByReferences(
  tables: readonly HistoryTable[],
  referred: (name: string) => readonly string[],
): HistoryTable[] {
  const done: HistoryTable[] = [];
  const visit = (table: HistoryTable) => {
    if (done.includes(table)) return;
    for (const name of referred(table.name)) {
      const other = tables.find((one) => one.name === name);
      if (other !== undefined && other !== table) visit(other);
    }
    done.push(table);
  };
  tables.forEach(visit);
  return done;
}
