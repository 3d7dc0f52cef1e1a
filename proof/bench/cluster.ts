// Measures one, two and three nodes on one machine with one PostgreSQL database: executions a second, the delay of a frame
// to a follower at another node, and the time to accept a run.
import { join } from "node:path";
// @ts-types="@types/pg"
import pg from "pg";
import { all } from "../../runtime/database/operation.ts";
import { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import type { Client } from "../../api/client/client.ts";
import { NodeWorld } from "../../tests/runtime/nodes/node_world.ts";
import { HAS_POSTGRES, type PostgresServer, startPostgres } from "../../tests/support/postgres.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { ClusterNode } from "../cluster/cluster_node.ts";
import { clusterTime } from "../cluster/processors.ts";
import { agentText } from "../soak/load/soak_agents.ts";
import {
  comparePaired,
  type Figure,
  median,
  ratioAtMost,
  subjectAtMost,
  toFigure,
} from "./paired.ts";
import { startModel } from "./server_process.ts";
import { sleep } from "../soak/sleep.ts";

const NODES = ["one", "two", "three"];
/** The number of parallel runs of each node. */
const RUNS = 16;
/**
 * The model of the measured runs, which last eight seconds. So the number of parallel runs is the limit, not the two
 * processor cores that the nodes and the database share.
 */
const MODEL = { calls: 3, latencyMs: 2_000 };
const SENDERS = 4;
const RAMP_MS = 12_000;
const MEASURED_MS = 8_000;
const ROUNDS = 3;
const LATENCY_RUNS = 6;
const FLOORS = 100;
const PAIRS = 200;

/** Returns the figures of the cluster, or none if PostgreSQL is not installed. */
export async function benchCluster(): Promise<Figure[]> {
  if (!HAS_POSTGRES) return [];
  await using server = await startPostgres({
    durable: true,
    settings: ["track_commit_timestamp=on"],
  });
  await using place = await createTestWorkspace();
  await using model = await startModel(MODEL);
  await Deno.writeTextFile(join(place.workspace, "note.txt"), "A note.\n");
  const write = (id: string, url: string, ...lines: string[]) =>
    place.writeAgent(id, agentText({ role: "test", lines, modelUrl: `${url}/v1` }));
  const many = "settings: { loop_detection: false, max_tool_calls: null }";
  await write("reader", model.url, "history: off", many);
  await write("observed", model.url, "history: off", many, "nodes: [one]");
  await using nodes = new AsyncDisposableStack();
  const started: ClusterNode[] = [];
  await using database = await PostgresDatabase.open({ address: `${server.address}/postgres` });
  const { port } = server;
  const bench = { database, nodes: started, address: `${server.address}/postgres`, port };
  const figures: Figure[] = [];
  const rates: Rate[] = [];
  for (const name of NODES) {
    const node = nodes.use(
      await ClusterNode.open({
        name,
        labels: [name],
        runs: RUNS,
        config: `workspace: ${place.workspace}\ndefaults: { max_concurrent_runs: 64 }\n`,
        port: server.port,
        database: "postgres",
        complain: (rule, row) => console.error(rule, row),
      }),
    );
    await node.start();
    started.push(node);
    rates.push(await measureRate(bench));
  }
  const [first, ...more] = rates;
  for (const [index, rate] of more.entries()) {
    const name = `executions of ${MODEL.calls + 1} model calls: ${index + 2} nodes / one`;
    figures.push(
      toFigure(name, {
        floors: first?.executions ?? [],
        subjects: rate.executions,
        unit: "a second",
        goal: { of: "ratio", bound: index === 0 ? 1.8 : 2.5, is: "at least" },
      }),
      toFigure(`processors of nodes and server meanwhile: ${index + 2} nodes / one`, {
        floors: first?.processors ?? [],
        subjects: rate.processors,
        unit: "%",
      }),
    );
  }
  return [...figures, await frameDelays(bench), await acceptance(server)];
}

interface Bench {
  database: PostgresDatabase;
  nodes: readonly ClusterNode[];
  address: string;
  port: number;
}

interface Rate {
  executions: number[];
  /** The use of all processor cores in percent, by the nodes and the PostgreSQL server together. */
  processors: number[];
}

function query<Row>({ database }: Bench, sql: string, ...values: number[]): Promise<Row[]> {
  return database.read(() => all<Row>(sql, ...values));
}

function clientOf({ nodes }: Bench, index: number): Client {
  const client = nodes[index % nodes.length]?.client;
  if (client === undefined) throw new Error("A node is not there");
  return client;
}

/** Measures the executions a second while more runs wait than the nodes may run in parallel. */
async function measureRate(bench: Bench): Promise<Rate> {
  const rate: Rate = { executions: [], processors: [] };
  let isOver = false;
  const backlog = 2 * RUNS * bench.nodes.length;
  const countOpen = async () =>
    (await query<{ n: number }>(
      bench,
      "SELECT count(*) AS n FROM executions WHERE status = 'running'",
    ))[0]?.n ?? 0;
  const send = async () => {
    for (let n = 0; !isOver;) {
      const missing = backlog - await countOpen();
      let left = missing;
      await Promise.all(Array.from({ length: SENDERS }, async () => {
        while (left-- > 0) await clientOf(bench, n++).run("reader");
      }));
      await sleep(100);
    }
  };
  const sending = send();
  await sleep(RAMP_MS);
  for (let round = 0; round < ROUNDS; round++) {
    const [before, busyBefore] = [await ended(bench), await busyMs(bench)];
    const began = performance.now();
    await sleep(MEASURED_MS);
    const [after, busyAfter] = [await ended(bench), await busyMs(bench)];
    const passed = performance.now() - began;
    rate.executions.push((after - before) / passed * 1_000);
    rate.processors.push((busyAfter - busyBefore) / passed / navigator.hardwareConcurrency * 100);
  }
  isOver = true;
  await sending;
  while (await countOpen() > 0) await sleep(100);
  return rate;
}

async function busyMs({ nodes, port }: Bench): Promise<number> {
  const { nodesMs, serverMs } = await clusterTime({ nodes, port });
  return nodesMs + serverMs;
}

async function ended(bench: Bench): Promise<number> {
  const [row] = await query<{ n: number; failed: number }>(
    bench,
    "SELECT count(*) AS n, count(*) FILTER (WHERE status <> 'success') AS failed FROM executions " +
      "WHERE finished_at IS NOT NULL",
  );
  if (row === undefined || row.failed > 0) throw new Error(`${row?.failed} executions failed`);
  return row.n;
}

/**
 * Measures the time from the commit of each frame at one node to its arrival at a follower of another node. The baseline is
 * a NOTIFY with a read of the notified row.
 */
async function frameDelays(bench: Bench): Promise<Figure> {
  const subjects: number[] = [];
  for (let run = 0; run < LATENCY_RUNS; run++) {
    const { execution_id: id } = await clientOf(bench, 1).run("observed");
    const opened = now();
    const received = new Map<number, number>();
    for await (const frame of clientOf(bench, 1).follow(id)) {
      if (frame.id !== null) received.set(frame.id, now());
    }
    const committed = await query<{ id: number; at: number }>(
      bench,
      "SELECT id, extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS at FROM frames " +
        "WHERE execution_id = ?",
      id,
    );
    // Frames that existed before the follower connected have no delay.
    subjects.push(
      ...committed.filter(({ at }) => at > opened).map(({ id, at }) =>
        (received.get(id) ?? Infinity) - at
      ),
    );
  }
  return toFigure("a frame's way from its commit to a follower at another node", {
    floors: [median(await bareDelays(bench.address))],
    subjects: [median(subjects)],
    unit: "ms",
    goal: subjectAtMost(20),
  });
}

async function bareDelays(address: string): Promise<number[]> {
  const [writer, reader] = [0, 1].map(() => new pg.Client({ connectionString: address }));
  if (writer === undefined || reader === undefined) throw new TypeError("no clients");
  await Promise.all([writer.connect(), reader.connect()]);
  await writer.query("CREATE TABLE bare_frames (id bigserial PRIMARY KEY, payload text)");
  await reader.query("LISTEN bare");
  const delays: number[] = [];
  for (let n = 0; n < FLOORS; n++) {
    const came = new Promise<number>((resolve) =>
      reader.once("notification", async ({ payload }) => {
        await reader.query("SELECT * FROM bare_frames WHERE id = $1", [payload]);
        resolve(now());
      })
    );
    await writer.query("BEGIN");
    const { rows } = await writer.query(
      "INSERT INTO bare_frames (payload) VALUES (repeat('x', 300)) RETURNING id",
    );
    await writer.query("SELECT pg_notify('bare', $1)", [rows[0].id]);
    await writer.query("COMMIT");
    const at = await came;
    const { rows: [frame] } = await writer.query(
      "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS at FROM bare_frames WHERE id = $1",
      [rows[0].id],
    );
    delays.push(at - Number(frame.at));
  }
  await Promise.all([writer.end(), reader.end()]);
  return delays;
}

/**
 * Measures the time to accept a run. No node may run the agent, so nothing else happens. The baseline is an acceptance
 * inside this process.
 */
async function acceptance(server: PostgresServer): Promise<Figure> {
  await using world = await NodeWorld.create(server.address);
  await world.workspace.writeScript("nobodys", [], "on_pending: parallel\nnodes: [none]");
  await using runtime = await world.open("one");
  await world.query(
    "CREATE TABLE bare_runs (id bigserial PRIMARY KEY, request text);" +
      "CREATE TABLE bare_logs (id bigserial PRIMARY KEY, run bigint REFERENCES bare_runs, payload text);" +
      "CREATE TABLE bare_jobs (id bigserial PRIMARY KEY, run bigint REFERENCES bare_runs)",
  );
  const bare = new pg.Client({ connectionString: world.address });
  await bare.connect();
  const figure = await comparePaired("accepting a run / a transaction of three statements", {
    floor: async () => {
      await bare.query("BEGIN");
      const { rows: [{ id }] } = await bare.query(
        "INSERT INTO bare_runs (request) VALUES (repeat('x', 300)) RETURNING id",
      );
      await bare.query("INSERT INTO bare_logs (run, payload) VALUES ($1, repeat('x', 300))", [id]);
      await bare.query("INSERT INTO bare_jobs (run) VALUES ($1)", [id]);
      await bare.query("COMMIT");
    },
    subject: () => runtime.run("nobodys", {}),
    pairs: PAIRS,
    goal: ratioAtMost(3),
  });
  await bare.end();
  return figure;
}

const now = () => performance.timeOrigin + performance.now();
