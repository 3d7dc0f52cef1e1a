// The tables of a history and the order of their copy. Both are read from the schemas of the databases, so that no table or
// column of a later version is forgotten.
import type { SqliteDatabase } from "../sqlite/sqlite_database.ts";

/** Tables and columns of PostgreSQL that are not copied, each with its reason. */
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

/** A column and its type in SQLite. */
export interface HistoryColumn {
  name: string;
  type: "INTEGER" | "REAL" | "TEXT";
}

/** One table of a history. */
export interface HistoryTable {
  name: string;
  columns: readonly HistoryColumn[];
  /** The columns of the primary key, which orders the rows. */
  key: readonly HistoryColumn[];
  /** The column with automatic numbers; undefined: none. */
  counter: string | undefined;
}

/** A column of PostgreSQL. */
export interface PostgresColumn {
  table: string;
  column: string;
  /** True: new rows get the next number in this column. */
  isCounter: boolean;
}

/** SQLite's description of a column. */
interface TableInfo {
  name: string;
  type: string;
  pk: number;
}

/** Returns the tables, each after the tables that it references. Throws TypeError if the schemas do not match, which is a bug. */
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

/** SQL: the ordinary tables of SQLite, without internal tables and the full-text index. */
export const ORDINARY_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main' " +
  "AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

function readTable(
  shape: SqliteDatabase,
  name: string,
  there: readonly PostgresColumn[],
): HistoryTable {
  const infos = shape.all<TableInfo>(`PRAGMA table_info("${name}")`);
  const columns = infos.map(toColumn);
  // Every table of SQLite has a rowid. PostgreSQL has a column of this name if the rowid defines the order.
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
