// A workspace in a temporary folder with home, configuration, state and agents. A test can open several runtimes on it.
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../base/clock.ts";
import { ifThere } from "../../base/files/missing.ts";
import {
  loadSettings,
  openRuntime,
  type OpenRuntimeOptions,
  type WorkspaceSettings,
} from "../../runtime/mod.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import type { ExecutionDetail, Runtime } from "../../runtime/interface/runtime.ts";
import type { LogLevel } from "../../runtime/service_log/service_log.ts";
import type { Database } from "../../runtime/database/database.ts";
import { all, run, type SqlValue } from "../../runtime/database/operation.ts";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestPostgres } from "./postgres.ts";
import { IS_POSTGRES } from "./test_database.ts";

/** One line of a service log, kept in memory. */
export interface LoggedLine {
  level: LogLevel;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

export interface TestWorkspace extends AsyncDisposable {
  /** The temporary folder with all files of the workspace; also the home directory. */
  root: string;
  workspace: string;
  agentsDir: string;
  stateDir: string;
  configDir: string;
  shell: Record<string, string>;
  logged: LoggedLine[];
  /** Writes config.yaml with the workspace and these lines. */
  configure(lines: string): Promise<void>;
  /** Writes `agents/<id>.md`. */
  writeAgent(id: string, text: string): Promise<void>;
  /** Writes an agent that plays a script of the demo model; `settings` are further lines of its front matter. */
  writeScript(id: string, steps: unknown[], settings?: string): Promise<void>;
  settings(): Promise<WorkspaceSettings>;
  /** Opens the workspace's database. A service may use it at the same time. */
  openDatabase(
    options?: { readOnly?: boolean },
  ): Promise<Database & (AsyncDisposable | Disposable)>;
  /** Returns the rows of a query in the SQL dialect of the stores. */
  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Changes rows without the service's knowledge. Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  open(
    options?: Partial<OpenRuntimeOptions> & { clock?: Clock },
  ): Promise<Runtime>;
}

export async function createTestWorkspace(
  options: { config?: string; shell?: Record<string, string> } = {},
): Promise<TestWorkspace> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-" }));
  const workspace = join(root, "work");
  const agentsDir = join(workspace, "agents");
  const configDir = join(root, "config");
  const stateDir = join(root, "state");
  STATE_DIRS.add(stateDir);
  await Deno.mkdir(agentsDir, { recursive: true });
  await Deno.mkdir(configDir);
  const configFile = join(configDir, "config.yaml");
  const configure = (lines: string) =>
    Deno.writeTextFile(configFile, `workspace: ${workspace}\n${lines}`);
  if (options.config === undefined) await configure("");
  else await Deno.writeTextFile(configFile, options.config);
  // A test can set its own database, or an empty address for SQLite.
  const isGiven = options.shell?.["INKLING_DATABASE_URL"] !== undefined;
  const database = IS_POSTGRES && !isGiven ? await createTestPostgres() : undefined;
  const shell: Record<string, string> = {
    INKLING_CONFIG_DIR: configDir,
    INKLING_STATE_DIR: stateDir,
    ...(database !== undefined && { INKLING_DATABASE_URL: database.address }),
    ...options.shell,
  };
  const openDatabase: TestWorkspace["openDatabase"] = async (options = {}) => {
    if (database === undefined) return SqliteDatabase.open(join(stateDir, "inkling.db"), options);
    const { PostgresDatabase } = await import(
      "../../runtime/storage/postgres/postgres_database.ts"
    );
    return await PostgresDatabase.open({ address: database.address, connections: 1 });
  };
  const logged: LoggedLine[] = [];
  const settings = () => loadSettings({ shell, home: root });
  const writeAgent = async (id: string, text: string) => {
    const path = join(agentsDir, `${id}.md`);
    await Deno.writeTextFile(path, text);
    // An old time: the watcher treats a new file as unfinished for a moment.
    const past = new Date(Date.now() - 1_000);
    await Deno.utime(path, past, past);
  };
  return {
    root,
    workspace,
    agentsDir,
    stateDir,
    configDir,
    shell,
    logged,
    settings,
    configure,
    writeAgent,
    openDatabase,
    async all<Row>(sql: string, ...values: SqlValue[]) {
      await using db = await openDatabase({ readOnly: true });
      return await db.read(() => all<Row>(sql, ...values));
    },
    async run(sql, ...values) {
      await using db = await openDatabase();
      return await db.change("process", () => run(sql, ...values));
    },
    writeScript: (id, steps, lines = "") =>
      writeAgent(
        id,
        `---\nmodel: { provider: demo, name: script }\n${lines && `${lines}\n`}---\n` +
          `\`\`\`demo\n${JSON.stringify(steps)}\n\`\`\`\n`,
      ),
    async open(overrides = {}) {
      const { mode = "service", settings: others } = overrides;
      if (mode === "service" && others === undefined) await placeEmptyDatabase(stateDir);
      return await openRuntime({
        settings: await settings(),
        version: "0.0.0-test",
        mode: "service",
        log: {
          write: (level, message, fields = {}) => void logged.push({ level, message, fields }),
        },
        ...overrides,
      });
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(root, { recursive: true });
      STATE_DIRS.delete(stateDir);
      await database?.[Symbol.asyncDispose]();
    },
  };
}

/** The state folders of test workspaces. */
const STATE_DIRS = new Set<string>();
const { exec } = DatabaseSync.prototype;
// In the suite, the databases of test workspaces do not wait for the disk, because no test cuts the power. durability_test.ts
// tests when the product waits, and the benchmarks wait as the product does.
if (Deno.env.has("INKLING_TEST_NO_SYNC")) {
  DatabaseSync.prototype.exec = function (sql) {
    const isOfWorkspace = STATE_DIRS.has(dirname(this.location() ?? ""));
    exec.call(this, isOfWorkspace ? sql.replace(/(?<=^PRAGMA synchronous = )\w+/, "OFF") : sql);
  };
}

let emptyDatabase: Uint8Array | undefined;

/** Copies a prepared empty database into a new state directory. Creating the tables takes three times as long. */
async function placeEmptyDatabase(stateDir: string): Promise<void> {
  if (IS_POSTGRES || ifThere(() => Deno.statSync(stateDir)) !== undefined) return;
  await Deno.mkdir(stateDir, { mode: 0o700 });
  const path = join(stateDir, "inkling.db");
  if (emptyDatabase === undefined) {
    SqliteDatabase.open(path)[Symbol.dispose]();
    emptyDatabase = await Deno.readFile(path);
  } else await Deno.writeFile(path, emptyDatabase, { mode: 0o600 });
}

/** Returns the rows of all tables, except rows that idle nodes update. */
export async function rowsOf(place: TestWorkspace): Promise<[table: string, rows: object[]][]> {
  await using db = await place.openDatabase({ readOnly: true });
  const read = <Row>(sql: string) => db.read(() => all<Row>(sql));
  const tables = await read<{ name: string }>(
    IS_POSTGRES
      ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'leases' ORDER BY 1"
      : "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1",
  );
  return await Array.fromAsync(tables, async ({ name }) => {
    const rows = await read<Record<string, unknown>>(`SELECT * FROM "${name}"`);
    return [name, rows.map(({ last_seen: _, ...row }) => row)];
  });
}

/** Returns the parsed payloads of an execution's frames. */
export async function payloadsOf(runtime: Runtime, id: number): Promise<Record<string, unknown>[]> {
  const frames = await runtime.readFrames(id, { after: 0 });
  return frames.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
}

/** Returns the first user message of a run; an empty text before the run has begun. */
export async function turnOf(runtime: Runtime, id: number): Promise<string> {
  const turn = (await payloadsOf(runtime, id)).find((one) => one["event_type"] === "human");
  return String(turn?.["content"] ?? "");
}

/** Returns an agent's runs, oldest first. */
export async function runsOf(runtime: Runtime, agentId: string): Promise<Execution[]> {
  return (await runtime.listExecutions({ agentId, limit: 500, offset: 0 })).toReversed();
}

/** Runs an agent and follows the execution until it ends or asks a question. */
export async function runToEnd(
  runtime: Runtime,
  agentId: string,
  request: Parameters<Runtime["run"]>[1] = {},
): Promise<ExecutionDetail> {
  return await toEnd(runtime, (await runtime.run(agentId, request)).id);
}

/** Follows an execution until it ends or waits for a person. */
export async function toEnd(runtime: Runtime, id: number): Promise<ExecutionDetail> {
  const signal = new AbortController().signal;
  const { items } = await runtime.follow(id, { after: 0, signal });
  for await (const _ of items) { /* Reads to the end. */ }
  return await runtime.getExecution(id);
}
