// Which tables a history is, and in which order they are copied: read from the shapes of both databases, so that no table and
// no column of a later version is forgotten.
import type { SqliteDatabase } from "../sqlite/sqlite_database.ts";

/** What is not copied, as `table` or `table.column` of PostgreSQL, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_steps: "the version of the shape; SQLite has it in the header of the file",
  change_marks: "which changes of a process were stored, for as long as it runs",
  leases: "which machine does what one alone does, for seconds",
  executions_text: "the words for searching: triggers make them of executions",
  "executions.epoch": "how often an execution was taken by a machine; counted anew",
  "executions.job": "who may run an execution; the next start makes one for each that is running",
  "executions.cancelled": "a wish for the machine that runs an execution, and none runs any",
  "instances.name": "what a machine told of itself while it lived",
  "instances.version": "what a machine told of itself while it lived",
  "instances.labels": "what a machine told of itself while it lived",
  "instances.last_seen": "whether a machine lives, and none does",
};

/** A column, with its type in SQLite. */
export interface HistoryColumn {
  name: string;
  type: "INTEGER" | "REAL" | "TEXT";
}

/** One table of a history. */
export interface HistoryTable {
  name: string;
  columns: readonly HistoryColumn[];
  /** Those of the primary key: rows are read in their order. */
  key: readonly HistoryColumn[];
  /** The column that a new row gets the next number in. */
  counter: string | undefined;
}

/** A column of PostgreSQL. */
export interface PostgresColumn {
  table: string;
  column: string;
  /** Whether a new row gets the next number in it. */
  isCounter: boolean;
}

/** What SQLite tells of a table's column. */
interface TableInfo {
  name: string;
  type: string;
  pk: number;
}

/** The tables, each behind those that it refers to. Throws TypeError where the two shapes do not fit: that is a bug. */
export function readHistoryTables(
  shape: SqliteDatabase,
  postgres: readonly PostgresColumn[],
): HistoryTable[] {
  const tables = shape.all<{ name: string }>(ORDINARY_TABLES).map(({ name }) =>
    readTable(shape, name, postgres.filter(({ table }) => table === name))
  );
  const stranger = postgres.find(({ table, column }) =>
    !(table in LEFT_OUT) && !(`${table}.${column}` in LEFT_OUT) &&
    !tables.some(({ name, columns }) =>
      name === table && columns.some((one) => one.name === column)
    )
  );
  if (stranger !== undefined) {
    throw new TypeError(`Nothing says what becomes of ${stranger.table}.${stranger.column}`);
  }
  return inOrder(
    tables,
    (name) =>
      shape.all<{ table: string }>(`PRAGMA foreign_key_list("${name}")`).map(({ table }) => table),
  );
}

/** The tables that are not the database's own, nor in PostgreSQL nor SQLite made by what is in others. */
export const ORDINARY_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' " +
  "AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

function readTable(
  shape: SqliteDatabase,
  name: string,
  there: readonly PostgresColumn[],
): HistoryTable {
  const infos = shape.all<TableInfo>(`PRAGMA table_info("${name}")`);
  const columns = infos.map(toColumn);
  // SQLite has one in each table; where it is the order of rows, PostgreSQL has one of this name, too.
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

function inOrder(
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
