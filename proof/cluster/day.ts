// `deno task cluster day`: measures what a run costs in PostgreSQL with one node, and extrapolates to a million executions
// a day on twenty nodes: connections, statements and bytes. Names the limit that is reached first and the setting that
// raises it.
import { join } from "node:path";
import { all, run } from "../../runtime/database/operation.ts";
import { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { startModel } from "../bench/server_process.ts";
import { agentText } from "../soak/load/soak_agents.ts";
import { sleep } from "../soak/sleep.ts";
import { ClusterNode } from "./cluster_node.ts";
import { clusterTime } from "./processors.ts";

const EXECUTIONS = 1_000_000;
const NODES = 20;
/** The factor between the load of the busiest hour and the average load. */
const PEAK = 5;
const DAY_S = 86_400;
/** PostgreSQL's default for `max_connections`. */
const MAX_CONNECTIONS = 100;

const RUNS = 300;
const AT_ONCE = 8;
const WARM_UP = 20;
/** The number of tool calls of a run before its answer. */
const CALLS = 3;
const IDLE_MS = 20_000;
const MODEL_MS = 50;
const CHANGES = 500;
/** The beginning of the query that polls for the end of all runs. Statements that begin so are not counted. */
const OPEN = "SELECT count(*) AS open FROM executions";

/** Counters of the database and the processes at one moment. */
interface Counts {
  statements: number;
  transactions: number;
  /** The bytes over the node's database connections, in both directions. */
  bytes: number;
  /** The bytes written to the write-ahead log. */
  wal: number;
  stored: number;
  /** The processor time of the nodes in milliseconds; `serverMs` is that of PostgreSQL. */
  nodesMs: number;
  serverMs: number;
}

/** Measures the costs and returns the report as text. */
export async function describeDay(): Promise<string> {
  await using server = await startPostgres({
    durable: true,
    settings: ["shared_preload_libraries=pg_stat_statements", "autovacuum=off"],
  });
  await using place = await createTestWorkspace();
  await using model = await startModel({ calls: CALLS, latencyMs: MODEL_MS });
  await Deno.writeTextFile(join(place.workspace, "note.txt"), "A note.\n");
  const settings = ["history: off", "settings: { loop_detection: false }"];
  await place.writeAgent(
    "reader",
    agentText({ role: "test", lines: settings, modelUrl: `${model.url}/v1` }),
  );
  await using database = await PostgresDatabase.open({
    address: `${server.address}/postgres`,
    connections: 1,
  });
  const query = <Row>(sql: string) => database.read(() => all<Row>(sql));
  await query("CREATE EXTENSION pg_stat_statements SCHEMA public");
  await using node = await ClusterNode.open({
    name: "one",
    labels: [],
    runs: AT_ONCE,
    config: `workspace: ${place.workspace}\n`,
    port: server.port,
    database: "postgres",
    complain: (rule, row) => console.error(rule, row),
  });
  await node.start();

  const count = async (): Promise<Counts> => {
    // Wait, because a connection adds its writes to the statistics with a delay of up to a second.
    await sleep(1_500);
    const [row] = await query<Omit<Counts, "bytes" | "nodesMs" | "serverMs">>(
      `SELECT sum(calls) FILTER (WHERE query NOT LIKE '%pg_stat%' AND query NOT LIKE '${OPEN}%') AS statements, ` +
        "(SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions, " +
        "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, " +
        "pg_database_size(current_database()) AS stored FROM public.pg_stat_statements",
    );
    if (row === undefined) throw new TypeError("nothing was counted");
    return {
      ...row,
      bytes: node.proxy.bytes,
      ...await clusterTime({ nodes: [node], port: server.port }),
    };
  };
  const runAll = async (runs: number) => {
    let left = runs;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await node.client?.run("reader");
    }));
    const count = `${OPEN} WHERE status = 'running'`;
    while (((await query<{ open: number }>(count))[0]?.open ?? 0) > 0) await sleep(500);
  };

  await runAll(WARM_UP);
  const start = performance.now();
  const [quiet, rested] = [await count(), await sleep(IDLE_MS).then(count)];
  const idleSeconds = (performance.now() - start) / 1_000;
  const began = performance.now();
  await runAll(RUNS);
  const after = await count();
  const busySeconds = (performance.now() - began) / 1_000;
  const idle = rate(quiet, rested, idleSeconds);
  const perRun = (key: keyof Counts) => (after[key] - rested[key] - idle[key] * busySeconds) / RUNS;
  const connections = await query<{ n: number }>(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()",
  );
  const rows = await query<{ name: string; n: number }>(
    ["executions", "frames", "messages", "tool_calls"].map((name) =>
      `SELECT '${name}' AS name, count(*) AS n FROM ${name}`
    ).join(" UNION ALL "),
  );
  const [ended] = await query<{ ms: number }>(
    "SELECT avg(finished_at - started_at) AS ms FROM executions WHERE status = 'success'",
  );
  return describe({
    idle,
    perRun,
    connections: connections[0]?.n ?? NaN,
    rows: rows.map(({ name, n }) => `${(n / (RUNS + WARM_UP)).toFixed(1)} ${name}`).join(", "),
    runMs: ended?.ms ?? NaN,
    serial: await measureSerial(database),
  });
}

async function measureSerial(database: PostgresDatabase): Promise<number> {
  const add = () =>
    run("INSERT INTO settings VALUES ('n', '0') ON CONFLICT (key) DO UPDATE SET value = '1'");
  const began = performance.now();
  for (let n = 0; n < CHANGES; n++) await database.change("soon", add);
  return CHANGES / (performance.now() - began) * 1_000;
}

function rate(before: Counts, after: Counts, seconds: number): Counts {
  const entries = Object.entries(after) as [keyof Counts, number][];
  return Object.fromEntries(
    entries.map(([key, value]) => [key, (value - before[key]) / seconds]),
  ) as unknown as Counts;
}

interface Measured {
  /** The change of each counter per second while the node is idle. */
  idle: Counts;
  perRun: (key: keyof Counts) => number;
  connections: number;
  rows: string;
  runMs: number;
  /** The number of changes of the same row that can be committed one after another in a second. */
  serial: number;
}

function describe({ idle, perRun, connections, rows, runMs, serial }: Measured): string {
  const average = EXECUTIONS / DAY_S;
  const peak = average * PEAK;
  const total = (key: keyof Counts, runs: number) => perRun(key) * runs + idle[key] * NODES;
  const n = (value: number, digits = 0) => value.toFixed(digits);
  const kb = (bytes: number) => `${n(bytes / 1_000, 1)} KB`;
  const mb = (bytes: number) => `${n(bytes / 1e6, 1)} MB/s`;
  const gb = (bytes: number) => `${n(bytes / 1e9)} GB`;
  const rates = (runs: number) => {
    const of = (key: keyof Counts) => total(key, runs);
    return [
      `${n(runs, 1)} executions/s: ${n(of("statements"))} statements/s`,
      `${n(of("transactions"))} commits/s`,
      `${mb(of("bytes"))} over the network`,
      `${mb(of("wal"))} of write-ahead log`,
      `${n(of("serverMs") / 1_000, 1)} cores of the server`,
      `${n(of("nodesMs") / 1_000 / NODES, 2)} cores of each node`,
    ].join(", ");
  };
  const all = connections * NODES;
  const each = Math.floor(MAX_CONNECTIONS * 0.9 / NODES);
  const stored = perRun("stored") * EXECUTIONS;
  const calls = peak * (CALLS + 1);
  return `
One execution of ${CALLS + 1} model calls and ${CALLS} tool calls, of ${RUNS} at one node:
  ${n(perRun("statements"))} statements in ${n(perRun("transactions"))} transactions; ${
    kb(perRun("bytes"))
  } over the connection
  ${n(perRun("serverMs"))} ms of a processor at the server, ${n(perRun("nodesMs"))} ms at the node
  ${rows}: ${kb(perRun("stored"))} in the database, ${kb(perRun("wal"))} of write-ahead log
A node: ${connections} connections; with nothing to do ${n(idle.statements, 1)} statements and ${
    kb(idle.bytes)
  } a second

${EXECUTIONS.toLocaleString("en")} executions a day over ${NODES} nodes:
  on average  ${rates(average)}
  at a peak   ${rates(peak)}
  a day       ${gb(stored)} in the database, ${gb(total("wal", average) * DAY_S)} of write-ahead log
  at once     ${n(peak * runMs / 1_000 / NODES, 1)} runs at each node at the peak if they last ${
    n(runMs / 1_000, 1)
  } s as here, ${n(peak * 60 / NODES)} if they last a minute

What breaks first, and what moves it:
  connections ${all} of PostgreSQL's ${MAX_CONNECTIONS}: max_connections there, or database_connections so that a node has ${each}
  model calls ${n(calls)} a second at the peak: each is booked in the workspace's one row, ${
    n(serial)
  } a second here, one after the other
  processors  as above: more cores for the server
  room        ${
    gb(stored * 30)
  } in 30 days: defaults.log_retention_days (executions), defaults.checkpoint_retention_days (conversations)
  runs        of more than ${
    n(100 * NODES / peak)
  } s at the peak: node.runs (100); defaults.max_concurrent_runs (16) bounds model calls
`.trim();
}
