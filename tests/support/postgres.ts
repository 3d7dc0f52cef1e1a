// Starts PostgreSQL servers in temporary folders and creates databases in them. INKLING_TEST_POSTGRES names a running
// server to use instead. Without the variable and without the programs of PostgreSQL, these tests are skipped.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { lazyModule } from "../../base/lazy_module.ts";
import { freePort } from "./machine/free_port.ts";

// Loaded lazily, because most tests do not use PostgreSQL.
const loadPg = lazyModule(() =>
  // @ts-types="@types/pg"
  import("pg")
);

/** The folder with the newest PostgreSQL programs that Debian installed, or undefined. */
export const POSTGRES_BIN: string | undefined = findPrograms();

/**
 * A folder in memory, where creating a database takes a third of the processor time. Only programs use it, because Deno asks
 * for all permissions there.
 */
const MEMORY = "/dev/shm";

/** The address of a running server, or undefined. */
const GIVEN = Deno.env.get("INKLING_TEST_POSTGRES");

/** True if tests that need PostgreSQL can run on this machine. */
export const HAS_POSTGRES = GIVEN !== undefined || POSTGRES_BIN !== undefined;

/** Registers a test that needs PostgreSQL, even if the other tests use SQLite. The test is skipped without PostgreSQL. */
export const withPostgres = {
  test: (name: string, fn: (t: Deno.TestContext) => Promise<void>) => {
    sharePostgres();
    Deno.test({ name, ignore: !HAS_POSTGRES, fn });
  },
};

/** A running PostgreSQL server. Disposing stops the server and removes its folder. */
export interface PostgresServer extends AsyncDisposable {
  /** `postgres://inkling@127.0.0.1:<port>`, without a database. */
  address: string;
  port: number;
  /** The server's temporary folder, which contains its socket. */
  folder: string;
  /** Runs SQL statements as the superuser through the socket, which `access` never blocks. */
  administer(statements: string, database?: string): Promise<void>;
  /** Stops the server: SIGINT shuts it down properly, SIGQUIT and SIGKILL act like a power cut. start() restarts it. */
  stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
}

/** The options to start a server. */
export interface PostgresOptions {
  /** True: committed data survives a power cut. False (default): the server is several times faster. */
  durable?: boolean;
  /** Settings in the syntax of postgresql.conf, such as "max_connections=5". They override the default test settings. */
  settings?: readonly string[];
  /** Lines of pg_hba.conf. By default every user may connect without a password. */
  access?: readonly string[];
  /** The server's TLS certificate and key in PEM; undefined: no TLS. */
  tls?: { certificate: string; key: string };
}

/** Starts a server on a free port and waits until it accepts connections. */
export async function startPostgres(
  { durable = false, settings: more = [], access, tls }: PostgresOptions = {},
): Promise<PostgresServer> {
  if (POSTGRES_BIN === undefined) throw new Error("PostgreSQL is not installed");
  const folder = await Deno.makeTempDir({ prefix: "inkling-postgres-" });
  const asUser = await asUnprivileged(folder);
  const isInMemory = !durable && access === undefined && tls === undefined && await isRoomy(MEMORY);
  const data = join(isInMemory ? MEMORY : folder, `data-${basename(folder)}`);
  const run = (program: string, ...args: string[]) => toCommand(program, { args, asUser, folder });
  await succeed(new Deno.Command("cp", { args: ["-a", await (pristine ??= initCluster()), data] }));
  if (access !== undefined) {
    // `administer` connects through the socket in this folder.
    const lines = ["local all inkling trust", ...access, ""];
    await Deno.writeTextFile(join(data, "pg_hba.conf"), lines.join("\n"));
  }
  if (tls !== undefined) {
    const { uid } = await Deno.stat(data);
    for (
      const [name, text] of [["server.crt", tls.certificate], ["server.key", tls.key]] as const
    ) {
      await Deno.writeTextFile(join(data, name), text, { mode: 0o600 });
      if (Deno.uid() === 0) await Deno.chown(join(data, name), uid, uid);
    }
  }
  const port = freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=200",
    ...SMALL,
    ...(durable ? [] : ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]),
    ...(tls === undefined ? [] : ["ssl=on"]),
    ...more,
  ];
  const command = run(
    "postgres",
    ...["-D", data, "-p", `${port}`, ...settings.flatMap((one) => ["-c", one])],
  );
  let server: Deno.ChildProcess | undefined;
  let said: Promise<string> | undefined;
  const start = async () => {
    server = command.spawn();
    said = new Response(server.stderr).text();
    const ended = server.status.then(({ code }) => code);
    for (;;) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        // The server listens a moment before it accepts users.
        const ready = await run(
          "pg_isready",
          ...["-h", "127.0.0.1", "-p", `${port}`, "-U", "inkling", "-q"],
        ).output();
        if (ready.success) return;
      } catch {
        // The server does not listen yet.
      }
      const code = await Promise.race([ended, delay(50)]);
      if (code !== undefined) throw new Error(`PostgreSQL ended with ${code}: ${await said}`);
    }
  };
  const stop = async (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") => {
    if (server === undefined) return;
    server.kill(signal);
    await server.status;
    await said;
    server = undefined;
  };
  await start();
  return {
    address: `postgres://inkling@127.0.0.1:${port}`,
    port,
    folder,
    administer: (statements, database = "postgres") =>
      administer(folder, port, { statements, database }),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop("SIGINT");
      await succeed(new Deno.Command("rm", { args: ["-rf", data, folder] }));
    },
  };
}

/** Settings that reduce the processor time and that no test depends on. */
const SMALL = [
  ...["shared_buffers=16MB", "jit=off", "autovacuum=off", "max_logical_replication_workers=0"],
  ...["wal_level=minimal", "max_wal_senders=0"],
];

/** The folder of an unused cluster. Copying it is much faster than `initdb`. */
let pristine: Promise<string> | undefined;

async function initCluster(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "inkling-cluster-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const asUser = await asUnprivileged(folder);
  const data = join(folder, "data");
  const args = ["-D", data, "-U", "inkling", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"];
  const small = ["--no-sync", "--wal-segsize=1"];
  await succeed(toCommand("initdb", { args: [...args, ...small], asUser, folder }));
  return data;
}

function toCommand(
  program: string,
  { args, asUser, folder }: { args: string[]; asUser: string[]; folder: string },
): Deno.Command {
  const [first = "", ...more] = [...asUser, join(POSTGRES_BIN ?? "", program), ...args];
  return new Deno.Command(first, {
    args: more,
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
}

async function succeed(command: Deno.Command): Promise<void> {
  const { success, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function administer(
  host: string,
  port: number,
  { statements, database }: { statements: string; database: string },
): Promise<void> {
  const { default: pg } = await loadPg();
  const client = new pg.Client({ host, port, user: "inkling", database });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

let shared: Promise<string> | undefined;
let isSharing = false;

/**
 * Starts a server before the first test of a file and stops it after the last. Does nothing if the tests were given a
 * server or PostgreSQL is missing.
 */
export function sharePostgres(): void {
  if (GIVEN !== undefined || !HAS_POSTGRES || isSharing) return;
  isSharing = true;
  let server: PostgresServer | undefined;
  Deno.test.beforeAll(async () => {
    server = await startPostgres();
    shared = Promise.resolve(server.address);
  });
  Deno.test.afterAll(async () => await server?.[Symbol.asyncDispose]());
}

/**
 * Returns the address of the server that all tests of this process share. Starts it at the first call; it stops with the
 * process.
 */
export function sharedPostgres(): Promise<string> {
  if (GIVEN !== undefined) return Promise.resolve(GIVEN);
  return shared ??= startPostgres().then((server) => {
    globalThis.addEventListener("unload", () => void server.stop("SIGQUIT"));
    return server.address;
  });
}

/** A PostgreSQL database of a test. Disposing drops the database, or empties it for a later test. */
export interface TestPostgres extends AsyncDisposable {
  address: string;
}

/** Creates an empty database with all tables, on the given server or on the shared one. */
export async function createTestPostgres(given?: string): Promise<TestPostgres> {
  const server = given ?? await sharedPostgres();
  await templates.getOrInsertComputed(server, makeTemplate);
  const name = await takeEmptied(server) ?? await createDatabase(server, TEMPLATE);
  return { address: `${server}/${name}`, [Symbol.asyncDispose]: () => giveBack(server, name) };
}

/** Creates an empty database without tables on the shared server. */
export async function createBarePostgres(): Promise<TestPostgres> {
  const server = await sharedPostgres();
  const name = await createDatabase(server, "template1");
  return {
    address: `${server}/${name}`,
    [Symbol.asyncDispose]: () => alter(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function createDatabase(server: string, template: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await alter(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return name;
}

/**
 * SQL that empties a database for the next test. Emptying takes a fifth of the time of copying the template and dropping
 * the copy.
 */
const EMPTY = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  SET session_replication_role = replica;
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname LIKE 'inkling%' AND tablename NOT IN ('schema_steps', 'version')
    LOOP EXECUTE 'DELETE FROM ' || one.name; END LOOP;
    FOR one IN SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences
      WHERE schemaname LIKE 'inkling%'
    LOOP PERFORM setval(one.name, 1, false); END LOOP;
  END $$`;

/** Removes the name of an emptied database from the list and returns it, or undefined if the list is empty. */
async function takeEmptied(server: string): Promise<string | undefined> {
  const client = await connect(server);
  try {
    const { rows } = await client.query(
      "DELETE FROM emptied WHERE name = (SELECT name FROM emptied LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name",
    );
    return rows[0]?.name;
  } finally {
    await client.end();
  }
}

async function giveBack(server: string, name: string): Promise<void> {
  await alter(server, EMPTY, name);
  await alter(server, `INSERT INTO emptied VALUES ('${name}')`);
}

/** The template database. Copying it is several times faster than creating all tables. */
const TEMPLATE = "inkling_template";
/** The pending or finished creation of each server's template, by server address. */
const templates = new Map<string, Promise<void>>();

/** Creates the template database of a server, if it is missing. Concurrent callers wait for a lock. */
async function makeTemplate(server: string): Promise<void> {
  const client = await connect(server);
  try {
    await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [TEMPLATE]);
    const find = "SELECT FROM pg_database WHERE datname = $1";
    if ((await client.query(find, [TEMPLATE])).rowCount === 1) return;
    const making = `${TEMPLATE}_in_the_making`;
    await client.query(`DROP DATABASE IF EXISTS ${making} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${making}`);
    const address = `${server}/${making}`;
    const [{ PostgresDatabase }, { JobQueue }] = await Promise.all([
      import("../../runtime/storage/postgres/postgres_database.ts"),
      import("../../runtime/storage/postgres/job_queue.ts"),
    ]);
    await (await PostgresDatabase.open({ address }))[Symbol.asyncDispose]();
    await (await JobQueue.open({ address, labels: [], onError: console.error })).stop();
    await client.query("CREATE TABLE emptied (name TEXT PRIMARY KEY)");
    await client.query(`ALTER DATABASE ${making} RENAME TO ${TEMPLATE}`);
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
}

async function alter(server: string, statement: string, database?: string): Promise<void> {
  await using client = await connect(server, database);
  await client.query(statement);
}

/** Opens a connection of the driver, without the product's code. */
export async function openClient(connectionString: string): Promise<Client & AsyncDisposable> {
  const { default: pg } = await loadPg();
  const client = new pg.Client({ connectionString });
  // The statement that fails reports the error.
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

function connect(server: string, database = "postgres"): Promise<Client & AsyncDisposable> {
  return openClient(`${server}/${database}`);
}

/**
 * Gives the folder to the user `postgres`, and returns the command prefix that runs a program as this user: PostgreSQL
 * refuses to run as root. The prefix is empty if the tests do not run as root.
 */
async function asUnprivileged(folder: string): Promise<string[]> {
  if (Deno.uid() !== 0) return [];
  const { stdout } = await new Deno.Command("id", { args: ["-u", "postgres"] }).output();
  const uid = Number(new TextDecoder().decode(stdout).trim());
  await Deno.chown(folder, uid, uid);
  // Sets the mode explicitly: test files are threads of one process, and two threads that open a socket at once may leave
  // its umask at 177.
  await Deno.chmod(folder, 0o700);
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
}

/** Returns true if the folder exists and has space for the databases of several hundred tests. */
async function isRoomy(folder: string): Promise<boolean> {
  const df = new Deno.Command("df", { args: ["-k", "--output=avail", folder], stderr: "null" });
  const free = await df.output().then(({ stdout }) => new TextDecoder().decode(stdout), () => "");
  return Number(free.split("\n")[1]) > 4 * 1024 ** 2;
}

function findPrograms(): string | undefined {
  try {
    const versions = [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => name)
      .sort((a, b) => Number(b) - Number(a));
    return versions[0] === undefined ? undefined : `/usr/lib/postgresql/${versions[0]}/bin`;
  } catch {
    return undefined;
  }
}
