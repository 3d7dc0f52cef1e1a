// `deno task cluster day`: what a run costs PostgreSQL, measured at one node, and what that is for a million executions a day over
// twenty nodes: how many connections, statements and bytes, what breaks first, and the setting that moves it.
import { join } from "node:path";
import { all } from "../../runtime/storage/operation.ts";
import { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { startModel } from "../bench/service_runs.ts";
import { agentText } from "../soak/load/soak_agents.ts";
import { sleep } from "../soak/sleep.ts";
import { ClusterNode } from "./cluster_node.ts";

const EXECUTIONS = 1_000_000;
const NODES = 20;
/** How much more there is to do in the busiest hour than on average. */
const PEAK = 5;
const DAY_S = 86_400;
/** PostgreSQL's own limit, where nobody has set another. */
const MAX_CONNECTIONS = 100;

const RUNS = 300;
const AT_ONCE = 8;
const WARM_UP = 20;
/** A run: so many calls of a tool, and an answer. */
const CALLS = 3;
const IDLE_MS = 20_000;
const MODEL_MS = 50;

/** What the database has done so far. */
interface Counts {
  statements: number;
  transactions: number;
  /** Over the node's connections, both ways. */
  bytes: number;
  /** Of the write-ahead log. */
  wal: number;
  stored: number;
  /** Of the server, and all that belongs to it. */
  executionMs: number;
}

/** Measures, and tells. */
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
  await using database = await PostgresDatabase.open({ address: `${server.address}/postgres` });
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
    // What was written is counted when it has left a connection's memory.
    await sleep(1_500);
    const [row] = await query<Omit<Counts, "bytes">>(
      "SELECT sum(calls) FILTER (WHERE query !~ 'pg_stat|count') AS statements, " +
        "sum(total_exec_time) FILTER (WHERE query !~ 'pg_stat|count') AS \"executionMs\", " +
        "(SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions, " +
        "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, " +
        "pg_database_size(current_database()) AS stored FROM public.pg_stat_statements",
    );
    if (row === undefined) throw new TypeError("nothing was counted");
    return { ...row, bytes: node.proxy.bytes };
  };
  const run = async (runs: number) => {
    let left = runs;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await node.client?.run("reader");
    }));
    const open = "SELECT count(*) AS n FROM executions WHERE status = 'running'";
    while (((await query<{ n: number }>(open))[0]?.n ?? 0) > 0) await sleep(500);
  };

  await run(WARM_UP);
  const start = performance.now();
  const [quiet, rested] = [await count(), await sleep(IDLE_MS).then(count)];
  const idleSeconds = (performance.now() - start) / 1_000;
  const began = performance.now();
  await run(RUNS);
  const after = await count();
  const busySeconds = (performance.now() - began) / 1_000;
  if (Deno.env.get("TOP") !== undefined) {
    for (
      const row of await query<Record<string, unknown>>(
        "SELECT calls, round(total_exec_time::numeric) AS ms, round(mean_exec_time::numeric,3) AS mean, rows, shared_blks_hit AS hit, query FROM public.pg_stat_statements ORDER BY total_exec_time DESC LIMIT 25",
      )
    ) {
      console.error(
        `${row.calls} x ${row.mean} = ${row.ms} ms, rows ${row.rows}, hit ${row.hit}: ${
          String(row.query).slice(0, 300).replace(/\s+/g, " ")
        }`,
      );
    }
  }
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
  return tell({
    idle,
    perRun,
    connections: connections[0]?.n ?? NaN,
    rows: rows.map(({ name, n }) => `${(n / (RUNS + WARM_UP)).toFixed(1)} ${name}`).join(", "),
    runMs: ended?.ms ?? NaN,
  });
}

function rate(before: Counts, after: Counts, seconds: number): Counts {
  const entries = Object.entries(after) as [keyof Counts, number][];
  return Object.fromEntries(
    entries.map(([key, value]) => [key, (value - before[key]) / seconds]),
  ) as unknown as Counts;
}

interface Measured {
  /** A second, of a node that has nothing to do. */
  idle: Counts;
  perRun: (key: keyof Counts) => number;
  connections: number;
  rows: string;
  runMs: number;
}

function tell({ idle, perRun, connections, rows, runMs }: Measured): string {
  const perSecond = EXECUTIONS / DAY_S;
  const total = (key: keyof Counts, runs: number) => perRun(key) * runs + idle[key] * NODES;
  const kb = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;
  const line = (runs: number) =>
    `${runs.toFixed(1)} executions a second: ${
      total("statements", runs).toFixed(0)
    } statements/s, ` +
    `${total("transactions", runs).toFixed(0)} commits/s, ` +
    `${(total("bytes", runs) / 1e6).toFixed(1)} MB/s over the network, ` +
    `${(total("wal", runs) / 1e6).toFixed(1)} MB/s of write-ahead log, ` +
    `${(total("executionMs", runs) / 10).toFixed(0)} % of one core in statements`;
  const size = perRun("stored") * EXECUTIONS / 1e9;
  const all = connections * NODES;
  return [
    `One execution of ${
      CALLS + 1
    } model calls and ${CALLS} tool calls (measured, ${RUNS} at one node):`,
    `  ${perRun("statements").toFixed(0)} statements in ${
      perRun("transactions").toFixed(0)
    } transactions, ` +
    `${perRun("executionMs").toFixed(1)} ms of the server; ${
      kb(perRun("bytes"))
    } over the connection`,
    `  ${rows}: ${kb(perRun("stored"))} in the database, ${kb(perRun("wal"))} of write-ahead log`,
    `A node with nothing to do: ${idle.statements.toFixed(1)} statements and ${
      kb(idle.bytes)
    } a second`,
    `A node at work has ${connections} connections`,
    ``,
    `${EXECUTIONS.toLocaleString("en")} executions a day over ${NODES} nodes:`,
    `  on average   ${line(perSecond)}`,
    `  at its peak  ${line(perSecond * PEAK)}`,
    `  connections  ${all}`,
    `  a day        ${size.toFixed(1)} GB in the database, ` +
    `${(total("wal", perSecond) * DAY_S / 1e9).toFixed(0)} GB of write-ahead log`,
    `  at once      ${
      (perSecond * PEAK * runMs / 1_000 / NODES).toFixed(1)
    } runs at each node at the peak ` +
    `if they last ${(runMs / 1_000).toFixed(1)} s as here, ` +
    `${(perSecond * PEAK * 60 / NODES).toFixed(0)} if they last a minute`,
    ``,
    `What breaks first:`,
    `  1. connections: ${all} of ${MAX_CONNECTIONS}. max_connections of PostgreSQL, or database_connections: ` +
    `${Math.floor(MAX_CONNECTIONS * 0.9 / NODES)} for each node in all`,
    `  2. room: ${
      (size * 30).toFixed(0)
    } GB in 30 days. defaults.log_retention_days keeps executions that long; ` +
    `defaults.checkpoint_retention_days their conversations`,
    `  3. runs at once: node.runs (100) where runs last longer than ` +
    `${
      (100 * NODES / (perSecond * PEAK)).toFixed(0)
    } s at the peak; defaults.max_concurrent_runs (16) bounds model calls`,
    `  4. the server's processors and disk: the peak above; synchronous_commit and faster disks for commits`,
  ].join("\n");
}
